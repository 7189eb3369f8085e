/** An exec workflow runs for a payment that the payments table does not have. Trying again does not help. */
export class PaymentMissingError extends Error {
  override readonly name = 'PaymentMissingError';
  readonly code = 'PAYMENT_MISSING';
  readonly retryable = false;

  constructor(paymentId: string) {
    super(`there is no payment ${paymentId}; its context was queued without its row`);
  }
}
