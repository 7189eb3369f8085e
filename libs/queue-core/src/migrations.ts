import { join } from 'node:path';

/** The tables of the dispatch queue, for whoever runs migrations. */
export const queueMigrations = { component: 'queue-core', pg: join(__dirname, 'migrations', 'pg') } as const;
