import { join } from 'node:path';

/** The tables of the dispatch queue, for whoever runs migrations. */
export const queueMigrations = {
  component: 'queue-core',
  pg: join(__dirname, 'migrations', 'pg'),
  oracle: join(__dirname, 'migrations', 'oracle'),
} as const;
