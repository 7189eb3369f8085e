import type { AppliedMigration, Migration } from './migration.js';

/** A database that keeps the ledger of its migrations. One session; `close` releases whatever it holds. */
export interface MigrationDatabase {
  /** For people: which database this is, without secrets. */
  readonly address: string;
  /** The rows of the ledger; none when there is no ledger yet. Changes nothing. */
  readLedger(): Promise<AppliedMigration[]>;
  /** Waits until no other runner is at work, creates the ledger where it is missing, and keeps others out until `close`. */
  takeLock(): Promise<void>;
  /** Runs the file and writes its row. Throws a MigrationError that names it. */
  apply(migration: Migration): Promise<{ readonly executionMs: number }>;
  close(): Promise<void>;
}
