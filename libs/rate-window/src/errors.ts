/** The database could not answer in time or at all; the same call may work later and is safe to repeat. */
export class SlotStoreUnavailableError extends Error {
  readonly code = 'SLOT_STORE_UNAVAILABLE';
  readonly retryable = true;

  constructor(cause: unknown) {
    super('The slot store did not answer; repeating the same call is safe.', { cause });
    this.name = 'SlotStoreUnavailableError';
  }
}
