/**
 * LEDGER_FULL: too many lines wait for the disk; nothing was written, so the caller may say "not done, try again".
 * LEDGER_FAILED: a write or sync failed; whether the line is on disk is unknown until the file is read again.
 * LEDGER_DAMAGED: a whole line of the file is not a ledger line; the process must not start on it.
 */
export type LedgerErrorCode = 'LEDGER_FULL' | 'LEDGER_FAILED' | 'LEDGER_DAMAGED';

export class LedgerError extends Error {
  override readonly name = 'LedgerError';
  readonly code: LedgerErrorCode;

  constructor(code: LedgerErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
