import { join } from 'node:path';

/** The tables that this service owns. */
export const execWorkerMigrations = { component: 'exec-worker', pg: join(__dirname, 'migrations', 'pg') };
