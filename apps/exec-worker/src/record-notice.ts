import type { OutboxViews } from '@sluice/outbox';
import { reasonOf } from '@sluice/payments';
import type { PaymentStatus, Rail } from '@sluice/payments';
import type { Clock } from '@sluice/service-kit';
import { changePayments } from './change-payments.js';
import { paymentIdOf } from './outbox-entries.js';
import type { Executions } from './ports.js';

/** What a rail reports about an order after it was executed. */
export interface RailNotice {
  readonly rail: Rail;
  readonly instructionId: string;
  readonly status: 'SETTLED' | 'RETURNED';
  /** the rail's reason for a return, such as R02 or AC04 */
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
  /** who delivered it */
  readonly by: string;
}

/**
 * recorded: the payment stands where the notice says, now or since earlier. refused: it stands elsewhere for good.
 * notExecuted: we have no execution on record that the rail could have settled or returned.
 */
export type NoticeOutcome =
  | { readonly kind: 'recorded' | 'refused'; readonly status: PaymentStatus }
  | { readonly kind: 'notExecuted'; readonly state: string }
  | { readonly kind: 'unknown' };

interface Parts {
  readonly executions: Executions;
  readonly views: Pick<OutboxViews, 'findInstruction'>;
  readonly clock: Clock;
}

export async function recordNotice(
  { executions, views, clock }: Parts,
  notice: RailNotice,
): Promise<NoticeOutcome> {
  const { instructionId, rail, status, by } = notice;
  const paymentId = paymentIdOf(instructionId);
  const instruction = paymentId && (await views.findInstruction(instructionId));
  if (!instruction || instruction.railType !== rail) return { kind: 'unknown' };
  if (instruction.state !== 'DISPATCHED') return { kind: 'notExecuted', state: instruction.state };
  const reason = status === 'RETURNED' ? reasonOf(notice.code ?? 'RETURNED', notice.detail ?? '') : undefined;
  return executions.transaction(async (transaction): Promise<NoticeOutcome> => {
    const payment = await transaction.find(paymentId);
    if (!payment) return { kind: 'unknown' };
    const events = await changePayments(transaction, [{ subject: payment, status, reason }], {
      by,
      now: clock.now(),
    });
    const after = events.length > 0 ? status : payment.status;
    if (events.length > 0) await transaction.enqueue(events);
    // A return may be told before the settlement it follows.
    const stands = after === status || (status === 'SETTLED' && after === 'RETURNED');
    return { kind: stands ? 'recorded' : 'refused', status: after };
  });
}
