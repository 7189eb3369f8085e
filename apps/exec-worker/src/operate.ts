import type { OperationOutcome, OutboxOperations, Resolution } from '@sluice/outbox';
import { Rail, reasonOf } from '@sluice/payments';
import type { Clock } from '@sluice/service-kit';
import { changePayments } from './change-payments.js';
import type { PaymentChange } from './change-payments.js';
import { paymentIdOf } from './outbox-entries.js';
import type { ExecutionTransaction, Executions } from './ports.js';
import { railProfiles } from './rails/rail-profiles.js';

interface Parts {
  readonly executions: Executions;
  readonly clock: Clock;
}

interface Order {
  readonly instructionId: string;
  readonly actor: string;
  readonly reason: string;
}

/** Ends a doubt. Where the money turns out to have arrived, the payment is told in the same transaction. */
export function resolveDoubt(
  parts: Parts,
  order: Order & { readonly resolution: Resolution },
): Promise<OperationOutcome> {
  return operate(parts, order, async (transaction) => {
    const outcome = await transaction.resolve(order);
    const isExecuted = order.resolution.kind === 'executed' && outcome.kind === 'done';
    const rail = isExecuted ? Rail.safeParse(outcome.instruction.railType).data : undefined;
    return { outcome, status: rail && railProfiles[rail].finalOnExecution ? 'SETTLED' : undefined };
  });
}

/** Gives a dead letter up for good; its payment fails in the same transaction, for the operator's reason. */
export function discardDeadLetter(parts: Parts, order: Order): Promise<OperationOutcome> {
  return operate(parts, order, async (transaction) => {
    const outcome = await transaction.discard(order);
    return { outcome, status: outcome.kind === 'done' ? 'FAILED' : undefined };
  });
}

interface Operated {
  readonly outcome: OperationOutcome;
  /** what becomes of the payment; undefined: nothing */
  readonly status: Exclude<PaymentChange['status'], 'RETURNED'> | undefined;
}

function operate(
  { executions, clock }: Parts,
  { instructionId, actor, reason }: Order,
  operation: (
    transaction: Pick<ExecutionTransaction, keyof Pick<OutboxOperations, 'resolve' | 'discard'>>,
  ) => Promise<Operated>,
): Promise<OperationOutcome> {
  return executions.transaction(async (transaction) => {
    const { outcome, status } = await operation(transaction);
    const paymentId = paymentIdOf(instructionId);
    const payment = status && paymentId && (await transaction.find(paymentId));
    if (!payment || !status) return outcome;
    const change: PaymentChange = {
      subject: payment,
      status,
      ...(status === 'FAILED' ? { reason: reasonOf('DISCARDED', reason) } : {}),
    };
    const events = await changePayments(transaction, [change], { by: actor, now: clock.now() });
    if (events.length > 0) await transaction.enqueue(events);
    return outcome;
  });
}
