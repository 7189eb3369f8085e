import type { AppliedMigration, Migration } from './migration.js';

export interface MigrationPlan {
  readonly applied: readonly Migration[];
  readonly pending: readonly Migration[];
  /** In the ledger, but unknown here: a newer release has been at work. That is normal while a release rolls out. */
  readonly newer: readonly AppliedMigration[];
  /** What makes it wrong to go on, as sentences. */
  readonly refusals: readonly string[];
}

/** Compares the files with the ledger. */
export function planMigrations(
  files: readonly Migration[],
  ledger: readonly AppliedMigration[],
): MigrationPlan {
  const rows = new Map(ledger.map((row) => [`${row.component} ${row.version}`, row]));
  const known = new Set(files.map(({ component }) => component));
  const applied = files.filter(({ component, version }) => rows.has(`${component} ${version}`));
  const pending = files.filter((file) => !applied.includes(file));
  const newer = ledger.filter(
    ({ component, version }) =>
      known.has(component) && !files.some((file) => file.component === component && file.version === version),
  );
  return {
    applied,
    pending,
    newer,
    refusals: [
      ...applied.flatMap((file) => compare(file, rows.get(`${file.component} ${file.version}`))),
      ...pending.flatMap((file) => overtaken(file, ledger)),
    ],
  };
}

function compare(file: Migration, row: AppliedMigration | undefined): string[] {
  if (row === undefined) return [];
  const wayOut = 'applied migrations are never edited: restore the file and write a new one';
  if (row.name !== file.name) return [`${file.component} ${file.name} was applied as ${row.name}; ${wayOut}`];
  if (row.checksum === file.checksum) return [];
  return [
    `${file.component} ${file.name} was changed after it had been applied on ${row.appliedAt}; ${wayOut}`,
  ];
}

function overtaken(file: Migration, ledger: readonly AppliedMigration[]): string[] {
  const later = ledger.find(
    ({ component, version }) => component === file.component && version > file.version,
  );
  if (later === undefined) return [];
  return [`${file.component} ${file.name} is not applied, but ${later.name} is; the ledger has a gap`];
}
