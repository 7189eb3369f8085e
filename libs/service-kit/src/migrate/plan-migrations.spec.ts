import type { AppliedMigration, Migration } from './migration.js';
import { planMigrations } from './plan-migrations.js';

function file(version: number, more: Partial<Migration> = {}): Migration {
  const name = `000${version}_step`;
  return {
    component: 'demo',
    version,
    name,
    marker: 'safe: online',
    sql: '',
    checksum: `sum${version}`,
    ...more,
  };
}

function row(version: number, more: Partial<AppliedMigration> = {}): AppliedMigration {
  const { component, name, checksum } = file(version);
  return { component, version, name, checksum, appliedAt: '2026-01-01T00:00:00Z', ...more };
}

const versions = (list: readonly { version: number }[]): number[] => list.map(({ version }) => version);

describe('planMigrations', () => {
  it('tells what is applied from what is pending', () => {
    const plan = planMigrations([file(1), file(2), file(3)], [row(1)]);
    expect([versions(plan.applied), versions(plan.pending), plan.refusals]).toEqual([[1], [2, 3], []]);
  });

  it('keeps components apart, and does not look at those it was not asked about', () => {
    const plan = planMigrations([file(1)], [row(1, { component: 'other' }), row(9, { component: 'other' })]);
    expect([versions(plan.pending), versions(plan.newer)]).toEqual([[1], []]);
  });

  it('tolerates what a newer release has applied', () => {
    const plan = planMigrations([file(1)], [row(1), row(2)]);
    expect([versions(plan.newer), plan.pending, plan.refusals]).toEqual([[2], [], []]);
  });

  it('refuses, by name, a file that was changed or renamed after it had been applied', () => {
    const changed = planMigrations([file(1, { checksum: 'edited' })], [row(1)]);
    expect(changed.refusals[0]).toContain(
      'demo 0001_step was changed after it had been applied on 2026-01-01',
    );
    const renamed = planMigrations([file(1, { name: '0001_other' })], [row(1)]);
    expect(renamed.refusals[0]).toContain('demo 0001_other was applied as 0001_step');
  });

  it('refuses a ledger with a gap', () => {
    expect(planMigrations([file(1), file(2), file(3)], [row(1), row(3)]).refusals).toEqual([
      'demo 0002_step is not applied, but 0003_step is; the ledger has a gap',
    ]);
  });
});
