/**
 * A key is known with another content, so one of the two is wrong. Nothing was enqueued. Roll back and
 * use a new instruction id and idempotency key if this is meant to be a new instruction.
 */
export class OutboxConflictError extends Error {
  readonly code = 'OUTBOX_CONFLICT';
  readonly retryable = false;
  readonly instructionIds: readonly string[];

  constructor(instructionIds: readonly string[], options?: ErrorOptions) {
    const ids = instructionIds.join(', ');
    super(`already enqueued with another content: ${ids}; a new instruction needs a new id and key`, options);
    this.name = 'OutboxConflictError';
    this.instructionIds = instructionIds;
  }
}
