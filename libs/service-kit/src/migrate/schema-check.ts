import { readPgLedger } from '../adapters/pg-migrations.js';
import type { Pool } from '../adapters/pg-pool.js';
import type { StartCheck } from '../service.js';
import type { MigrationSet } from './migration.js';
import { planMigrations } from './plan-migrations.js';
import { readMigrations } from './read-migrations.js';

/**
 * Refuses to start on a database that lacks a migration or has another version of one. A service never migrates by
 * itself, and it accepts a newer schema: while a release rolls out, the older instances go on.
 */
export function pgSchemaCheck(pool: Pool, sets: readonly MigrationSet[]): StartCheck {
  return {
    name: 'schema',
    async check() {
      const files = readMigrations(sets, 'pg');
      const { pending, refusals } = planMigrations(files, await readPgLedger(pool));
      const missing = pending.map(
        ({ component, name }) => `${component} ${name} has not been applied; run "node migrate.js up" first`,
      );
      return [...missing, ...refusals];
    },
  };
}
