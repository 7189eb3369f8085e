import type { OutboxEntry } from '@sluice/outbox';
import type { PaymentId, PaymentStatus, Reason } from '@sluice/payments';
import { eventEntry } from './outbox-entries.js';
import type { EventSubject } from './outbox-entries.js';
import type { ExecutionTransaction } from './ports.js';

/** A payment that is to reach a status, with what its event tells. */
export interface PaymentChange {
  readonly subject: EventSubject & { readonly paymentId: PaymentId };
  readonly status: 'SETTLED' | 'RETURNED' | 'FAILED';
  readonly reason?: Reason | undefined;
}

interface Step {
  readonly from: PaymentStatus;
  readonly to: PaymentStatus;
}

// The rail may be quicker than the workflow: a payment that is still ACCEPTED goes by way of PROCESSING, so that its trail
// and its events are the same as ever.
const ways: Record<PaymentChange['status'], readonly Step[]> = {
  SETTLED: [
    { from: 'ACCEPTED', to: 'PROCESSING' },
    { from: 'PROCESSING', to: 'SETTLED' },
  ],
  RETURNED: [
    { from: 'ACCEPTED', to: 'PROCESSING' },
    { from: 'PROCESSING', to: 'RETURNED' },
    { from: 'SETTLED', to: 'RETURNED' },
  ],
  FAILED: [
    { from: 'ACCEPTED', to: 'FAILED' },
    { from: 'PROCESSING', to: 'FAILED' },
  ],
};

/**
 * Moves payments to where the rail or an operator says they are, and answers with the events of it, for the caller to
 * enqueue. What stands there already, or has gone another way, is left alone: a repetition changes nothing.
 */
export async function changePayments(
  transaction: Pick<ExecutionTransaction, 'transitionMany'>,
  changes: readonly PaymentChange[],
  { by, now }: { readonly by: string; readonly now: Date },
): Promise<OutboxEntry[]> {
  const events: OutboxEntry[] = [];
  for (const [status, group] of Map.groupBy(changes, (change) => change.status)) {
    const byId = new Map(group.map((change) => [change.subject.paymentId, change]));
    for (const { from, to } of ways[status]) {
      const payments = group.map(({ subject, reason }) => ({
        paymentId: subject.paymentId,
        ...(to === status && reason ? { reason } : {}),
      }));
      for (const paymentId of await transaction.transitionMany({ from, to, by, payments })) {
        const change = byId.get(paymentId);
        const reason = to === status ? change?.reason : undefined;
        if (change)
          events.push(eventEntry(change.subject, reason ? { status: to, reason } : { status: to }, now));
      }
    }
  }
  return events;
}
