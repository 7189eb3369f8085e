/**
 * The store did not do what it was asked.
 * STORE_UNAVAILABLE: it could not be reached, was busy or gave up waiting; the same call may pass later.
 * STORE_REFUSED: it will refuse the same call again; the input or the schema is wrong.
 */
export class QueueStoreError extends Error {
  override readonly name = 'QueueStoreError';
  readonly code: 'STORE_UNAVAILABLE' | 'STORE_REFUSED';
  readonly operation: string;

  constructor(failure: { code: QueueStoreError['code']; operation: string; cause: unknown }) {
    const reason = failure.cause instanceof Error ? failure.cause.message : String(failure.cause);
    super(`dispatch queue: ${failure.operation} failed: ${reason}`, { cause: failure.cause });
    this.code = failure.code;
    this.operation = failure.operation;
  }

  get retryable(): boolean {
    return this.code === 'STORE_UNAVAILABLE';
  }
}
