import type { MigrationDatabase } from './migration-database.js';
import { MigrationError } from './migration-error.js';
import type { Migration } from './migration.js';
import { planMigrations } from './plan-migrations.js';
import type { MigrationPlan } from './plan-migrations.js';

export interface MigrationReport {
  applied(migration: Migration, executionMs: number): void;
}

/** Applies what is pending, in order. Of several runners at once one works, and the others then find nothing to do. */
export async function migrateUp(
  database: MigrationDatabase,
  files: readonly Migration[],
  report: MigrationReport,
): Promise<MigrationPlan> {
  await database.takeLock();
  const plan = planMigrations(files, await database.readLedger());
  if (plan.refusals.length > 0) {
    throw new MigrationError('MIGRATION_REFUSED', `nothing was applied:\n  ${plan.refusals.join('\n  ')}`);
  }
  for (const migration of plan.pending) {
    const { executionMs } = await database.apply(migration);
    report.applied(migration, executionMs);
  }
  return plan;
}
