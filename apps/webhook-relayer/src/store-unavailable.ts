/** The database did not answer, or could not go on just now; the same request may succeed later. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  readonly code = 'STORE_UNAVAILABLE';
  readonly retryable = true;

  constructor(cause: unknown) {
    super('the database did not answer', { cause });
  }
}
