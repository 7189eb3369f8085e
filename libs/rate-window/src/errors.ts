/** The database could not answer in time or at all; the same call may work later and is safe to repeat. */
export class SlotStoreUnavailableError extends Error {
  readonly code = 'SLOT_STORE_UNAVAILABLE';
  readonly retryable = true;

  constructor(cause: unknown) {
    super('The slot store did not answer; repeating the same call is safe.', { cause });
    this.name = 'SlotStoreUnavailableError';
  }
}

/** The database refuses the values themselves (too long, out of range, not storable); repeating the call does not help. */
export class SlotStoreRefusedError extends Error {
  readonly code = 'SLOT_STORE_REFUSED';
  readonly retryable = false;

  constructor(cause: unknown) {
    super('The slot store refuses the values of this call; they break a rule of its schema.', { cause });
    this.name = 'SlotStoreRefusedError';
  }
}
