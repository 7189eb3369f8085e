import { join } from 'node:path';

/** The tables that this service owns. */
export const webhookMigrations = { component: 'webhooks', pg: join(__dirname, 'migrations', 'pg') };
