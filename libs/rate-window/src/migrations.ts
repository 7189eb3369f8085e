import { join } from 'node:path';

/** The tables and functions of this lib, for the migration command of the app that runs it. */
export const rateWindowMigrations = {
  component: 'rate-window',
  pg: join(__dirname, 'migrations', 'pg'),
  oracle: join(__dirname, 'migrations', 'oracle'),
};
