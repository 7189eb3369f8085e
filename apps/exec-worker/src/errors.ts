/** An exec workflow runs for a payment that the payments table does not have. Trying again does not help. */
export class PaymentMissingError extends Error {
  override readonly name = 'PaymentMissingError';
  readonly code = 'PAYMENT_MISSING';
  readonly retryable = false;

  constructor(paymentId: string) {
    super(`there is no payment ${paymentId}; its context was queued without its row`);
  }
}

/** An outcome arrived for a claim that this process does not remember; the reaper will give the instruction back. */
export class ForgottenClaimError extends Error {
  override readonly name = 'ForgottenClaimError';
  readonly code = 'CLAIM_FORGOTTEN';
  readonly retryable = false;

  constructor(outboxId: string) {
    super(`nothing is known of a claim of ${outboxId}; its outcome is left to the next claim`);
  }
}
