/** slot-assigner gave no usable answer. Nothing is known about the slots; the same call may be made again. */
export class SlotsUnavailableError extends Error {
  override readonly name = 'SlotsUnavailableError';
  readonly code = 'SLOTS_UNAVAILABLE';
  readonly retryable = true;
}
