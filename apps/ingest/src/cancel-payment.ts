import { reasonOf, type Payment, type PaymentId, type PaymentStatus } from '@sluice/payments';
import type { OrderOutcome } from '@sluice/queue-core';
import type { Clock } from '@sluice/service-kit';
import { paymentEvent } from './payment-events.js';
import type { CancellationTransaction, Cancellations, PaymentViews } from './ports.js';

/**
 * cancelled: it will never run; also if it was cancelled before. refused: where it stands says why.
 * unknown: it has no row; it may still be on its way in.
 */
export type CancelOutcome =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'refused'; readonly status: PaymentStatus; readonly queueStatus: string | null }
  | { readonly kind: 'unknown' };

interface CancelOrder {
  readonly paymentId: PaymentId;
  readonly reason: string;
  readonly by: string;
}

export type CancelPayment = (order: CancelOrder) => Promise<CancelOutcome>;

interface Parts {
  readonly views: Pick<PaymentViews, 'find'>;
  readonly cancellations: Cancellations;
  readonly clock: Clock;
}

/** Takes a payment back that waits in the queue. What the dispatcher holds or has started is out of reach. */
export function createCancelPayment({ views, cancellations, clock }: Parts): CancelPayment {
  return async (order) => {
    const standing = await views.find(order.paymentId);
    if (standing === undefined) return { kind: 'unknown' };
    if (standing.status === 'CANCELLED') return { kind: 'cancelled' };
    // The queue is not touched for a payment that has gone on.
    if (standing.status !== 'SCHEDULED')
      return { kind: 'refused', status: standing.status, queueStatus: null };

    return cancellations.cancel(order, async (transaction, queue) => {
      const payment = (await transaction.find(order.paymentId)) ?? standing;
      if (payment.status === 'CANCELLED') return { kind: 'cancelled' };
      if (!isOut(queue)) return { kind: 'refused', status: payment.status, queueStatus: statusIn(queue) };
      await markCancelled(transaction, { order, payment, now: clock.now() });
      return { kind: 'cancelled' };
    });
  };
}

/** Out of the queue for good: by this order, or by one before that got no further. */
function isOut(queue: OrderOutcome): boolean {
  return queue.kind === 'changed' || (queue.kind === 'refused' && queue.status === 'CANCELLED');
}

function statusIn(queue: OrderOutcome): string | null {
  return queue.kind === 'refused' ? queue.status : null;
}

async function markCancelled(
  transaction: CancellationTransaction,
  { order, payment, now }: { order: CancelOrder; payment: Payment; now: Date },
): Promise<void> {
  const { paymentId, by } = order;
  const reason = reasonOf('CANCELLED_BY_REQUEST', order.reason);
  const change = await transaction.transition({ paymentId, from: 'SCHEDULED', to: 'CANCELLED', reason, by });
  // Rolls the queue back with it: a payment leaves SCHEDULED only after the queue let go of it.
  if (change.kind === 'refused')
    throw new Error(`payment ${paymentId} left SCHEDULED while it was cancelled`);
  await transaction.releaseLimits([paymentId]);
  await transaction.announce([paymentEvent(payment, { status: 'CANCELLED', reason }, now)]);
}
