/** Thrown when migrations cannot be read, planned or applied; the message names the file and the way out. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
  readonly code: 'MIGRATION_FILES' | 'MIGRATION_REFUSED' | 'MIGRATION_FAILED' | 'MIGRATION_LOCKED';
  readonly retryable: boolean;

  constructor(code: MigrationError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.retryable = code === 'MIGRATION_LOCKED';
  }
}
