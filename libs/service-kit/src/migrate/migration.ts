/** The migrations of one component: folders of `.sql` files, one for each database it supports. */
export interface MigrationSet {
  readonly component: string;
  readonly pg: string;
  readonly oracle?: string;
}

export type Dialect = 'pg' | 'oracle';

/** One file of a set. */
export interface Migration {
  readonly component: string;
  readonly version: number;
  /** The file's name without its ending: `0001_create_things`. */
  readonly name: string;
  /** `safe: online` or `breaking: …`, the first line without its dashes. */
  readonly marker: string;
  readonly sql: string;
  /** SHA-256 of the text; line endings do not count, since version control may change them. */
  readonly checksum: string;
}

/** One row of the ledger `sluice_schema_migrations`. */
export interface AppliedMigration {
  readonly component: string;
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
  readonly appliedAt: string;
}
