import { openOracleMigrations } from '../adapters/oracle-migrations.js';
import { readPgLedger } from '../adapters/pg-migrations.js';
import type { Pool } from '../adapters/pg-pool.js';
import type { StartCheck } from '../service.js';
import type { AppliedMigration, Dialect, MigrationSet } from './migration.js';
import { planMigrations } from './plan-migrations.js';
import { readMigrations } from './read-migrations.js';

/**
 * Refuses to start on a database that lacks a migration or has another version of one. A service never migrates by
 * itself, and it accepts a newer schema: while a release rolls out, the older instances go on.
 */
export function pgSchemaCheck(pool: Pool, sets: readonly MigrationSet[]): StartCheck {
  return schemaCheck(sets, 'pg', () => readPgLedger(pool));
}

/** The same on Oracle, for the sets that have an Oracle folder. */
export function oracleSchemaCheck(url: string, sets: readonly MigrationSet[]): StartCheck {
  return schemaCheck(sets, 'oracle', async () => {
    const database = await openOracleMigrations(url);
    try {
      return await database.readLedger();
    } finally {
      await database.close();
    }
  });
}

function schemaCheck(
  sets: readonly MigrationSet[],
  dialect: Dialect,
  readLedger: () => Promise<readonly AppliedMigration[]>,
): StartCheck {
  return {
    name: 'schema',
    async check() {
      const { pending, refusals } = planMigrations(readMigrations(sets, dialect), await readLedger());
      const missing = pending.map(
        ({ component, name }) => `${component} ${name} has not been applied; run "node migrate.js up" first`,
      );
      return [...missing, ...refusals];
    },
  };
}
