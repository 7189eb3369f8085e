/**
 * Thrown by `inTransaction` when the connection was lost while COMMIT was on its way: the transaction may be in the
 * database or not. Only repeat the work if it is idempotent, or look first whether it is there.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError';
  readonly code = 'OUTCOME_UNKNOWN';
  readonly retryable = false;

  constructor(cause: unknown) {
    super('the connection was lost during COMMIT; whether the transaction took effect is not known', {
      cause,
    });
  }
}

/**
 * Thrown by `inTransaction` when the work went on after a failed statement and returned as if nothing had happened.
 * PostgreSQL answers COMMIT with ROLLBACK then, and without this error the loss would go unseen.
 */
export class TransactionAbortedError extends Error {
  override readonly name = 'TransactionAbortedError';
  readonly code = 'TRANSACTION_ABORTED';
  readonly retryable = false;

  constructor() {
    super('a statement of the transaction failed and its error was swallowed; everything was rolled back');
  }
}

/** The five characters by which PostgreSQL tells its errors apart; undefined for errors of the connection. */
export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/**
 * Whether the server itself refused the COMMIT, so that nothing took effect. A FATAL error ends the session and can
 * come after the commit record was written; so can a lost connection, which has no SQLSTATE at all.
 */
export function isRefusal(error: unknown): boolean {
  const state = sqlState(error);
  const severity = error instanceof Error && 'severity' in error ? error.severity : undefined;
  return state !== undefined && severity === 'ERROR' && !state.startsWith('08') && !state.startsWith('57P');
}
