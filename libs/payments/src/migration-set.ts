import { join } from 'node:path';

/** The payments tables, for the migration runner. */
export const paymentsMigrations = { component: 'payments', pg: join(__dirname, 'migrations', 'pg') };
