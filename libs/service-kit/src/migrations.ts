/**
 * Migrations as plain `.sql` files, forward only. The runner is a command of its own; services only check.
 *
 *   void migrateCommand({ name: 'demo', sets: [{ component: 'things', pg: join(__dirname, 'migrations', 'pg') }] });
 *
 * Files are called `0001_create_things.sql` and begin with `-- safe: …` or `-- breaking: …`.
 */
export type { MigrationSet } from './migrate/migration.js';
export { pgSchemaCheck } from './migrate/schema-check.js';
export { migrateCommand } from './migrate/migrate-command.js';
