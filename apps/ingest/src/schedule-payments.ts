import {
  buildExecContext,
  contextVersion,
  fingerprintOf,
  PaymentRequest,
  writeExecContext,
  type InsertOutcome,
  type PaymentId,
  type PaymentStamp,
  type RejectedPayment,
  type ScheduledPayment,
} from '@sluice/payments';
import type { NewItem } from '@sluice/queue-core';
import type { Clock } from '@sluice/service-kit';
import type { Metrics } from './metrics.js';
import { paymentEvent } from './payment-events.js';
import type { InitActivities, ScheduleInput, ScheduleResult, Verdict } from './phase-a.js';
import type { Receipts, Scheduling, SchedulingTransaction, SlotAnswer } from './ports.js';

export interface ScheduleParts {
  readonly scheduling: Scheduling;
  readonly receipts: Pick<Receipts, 'find'>;
  readonly metrics: Pick<Metrics, 'initialised'>;
  readonly clock: Clock;
}

/**
 * Writes the rows and enqueues what belongs into the queue. That is every payment of this run which stands at SCHEDULED,
 * also one that an earlier attempt wrote before it died: its queue row may be missing. The time is always that of the
 * row and the trace that of the receipt, so that the context comes out the same as it did then.
 */
export function createSchedulePayments(parts: ScheduleParts): InitActivities['schedulePayments'] {
  return async (input) => {
    const traces = await findTraces(parts.receipts, input.verdicts);
    let result: ScheduleResult | undefined;
    const outcomes = await parts.scheduling.schedule(async (transaction) => {
      const written = await write(transaction, input, parts.clock.now());
      result = written.result;
      return queueItems(written, input, traces);
    });
    if (result === undefined) throw new Error('the payments were not written');
    count(parts.metrics, result);
    const conflicts = outcomes.filter(({ kind }) => kind === 'conflict').map(({ itemId }) => itemId);
    return { ...result, queueConflicts: conflicts };
  };
}

async function findTraces(receipts: Pick<Receipts, 'find'>, verdicts: readonly Verdict[]) {
  const ids = [...idsOf(verdicts, 'ready'), ...idsOf(verdicts, 'known')];
  const found = ids.length === 0 ? [] : await receipts.find(ids);
  return new Map(found.map(({ paymentId, traceparent }) => [paymentId, traceparent]));
}

async function write(transaction: SchedulingTransaction, input: ScheduleInput, now: Date) {
  const { scheduled, rejected } = sortOut(input);
  const scheduledOutcomes = await transaction.insertScheduled(scheduled);
  const rejectedOutcomes = await transaction.insertRejected(rejected);
  const known = await transaction.findStamps(idsOf(input.verdicts, 'known'));
  // A payment without a slot had passed the limits; it will not use what they kept for it.
  const readyIds = new Set(idsOf(input.verdicts, 'ready'));
  await transaction.releaseLimits(
    rejected.map(({ paymentId }) => paymentId).filter((paymentId) => readyIds.has(paymentId)),
  );
  const isNew = new Set(rejectedOutcomes.filter(isInserted).map(({ paymentId }) => paymentId));
  await transaction.announce(
    rejected
      .filter(({ paymentId }) => isNew.has(paymentId))
      .map(({ paymentId, request, reason }) =>
        paymentEvent(subjectOf(paymentId, request), { status: 'REJECTED', reason }, now),
      ),
  );

  const outcomes = [...scheduledOutcomes, ...rejectedOutcomes];
  const result = {
    scheduled: scheduledOutcomes.filter(isInserted).length,
    rejected: isNew.size,
    already: outcomes.filter(({ kind }) => kind === 'already').length + known.length,
    conflicts: [
      ...idsOf(input.verdicts, 'conflict'),
      ...outcomes.filter(isConflict).map(({ paymentId }) => paymentId),
    ],
    unreadable: input.verdicts.filter(({ kind }) => kind === 'unreadable').length,
    queueConflicts: [],
  };
  const standing = [...outcomes.filter((outcome) => !isConflict(outcome)), ...known];
  return { result, standing, scheduled };
}

function subjectOf(paymentId: PaymentId, request: unknown) {
  const { participantId = null, rail = null, amount = null } = PaymentRequest.safeParse(request).data ?? {};
  return { paymentId, participantId, rail, amount };
}

function sortOut({ requests, verdicts, slots, initWorkflowId }: ScheduleInput) {
  const slotOf = new Map<PaymentId, SlotAnswer>(slots.map((slot) => [slot.paymentId, slot]));
  const scheduled: ScheduledPayment[] = [];
  const rejected: RejectedPayment[] = [];
  for (const verdict of verdicts) {
    if (verdict.kind !== 'ready' && verdict.kind !== 'rejected') continue;
    const request = requests[verdict.index];
    const common = { fingerprint: fingerprintOf(request), initWorkflowId };
    const slot = verdict.kind === 'ready' ? slotOf.get(verdict.paymentId) : verdict;
    if (slot === undefined) throw new Error(`no slot was asked for payment ${verdict.paymentId}`);
    if (slot.kind === 'assigned') {
      const scheduledTime = new Date(slot.scheduledTime);
      scheduled.push({ ...common, request: PaymentRequest.parse(request), scheduledTime });
    } else {
      rejected.push({ ...common, request, paymentId: verdict.paymentId, reason: slot.reason });
    }
  }
  return { scheduled, rejected };
}

interface Written {
  readonly standing: readonly (InsertOutcome | PaymentStamp)[];
  readonly scheduled: readonly ScheduledPayment[];
}

function queueItems(
  { standing, scheduled }: Written,
  { requests, verdicts, initWorkflowId }: ScheduleInput,
  traces: ReadonlyMap<PaymentId, string | null>,
): NewItem[] {
  const requestOf = new Map(scheduled.map(({ request }) => [request.paymentId, request]));
  for (const verdict of verdicts)
    if (verdict.kind === 'known')
      requestOf.set(verdict.paymentId, PaymentRequest.parse(requests[verdict.index]));
  return standing.flatMap(({ paymentId, status, scheduledTime }) => {
    if (status !== 'SCHEDULED' || scheduledTime === null) return [];
    const request = requestOf.get(paymentId);
    if (request === undefined) throw new Error(`payment ${paymentId} is not of this run`);
    const context = buildExecContext(request, scheduledTime, traces.get(paymentId) ?? undefined);
    return [
      {
        itemType: 'PAYMENT',
        itemId: paymentId,
        contextJson: writeExecContext(context),
        contextVersion,
        scheduledExecTime: scheduledTime,
        initWorkflowId,
      },
    ];
  });
}

function count(metrics: Pick<Metrics, 'initialised'>, result: ScheduleResult): void {
  metrics.initialised('scheduled', result.scheduled);
  metrics.initialised('rejected', result.rejected);
  metrics.initialised('already', result.already);
  metrics.initialised('conflict', result.conflicts.length);
  metrics.initialised('unreadable', result.unreadable);
}

function idsOf(verdicts: readonly Verdict[], kind: 'ready' | 'known' | 'conflict'): PaymentId[] {
  return verdicts.flatMap((verdict) => (verdict.kind === kind ? [verdict.paymentId] : []));
}

function isInserted({ kind }: InsertOutcome): boolean {
  return kind === 'inserted';
}

function isConflict({ kind }: InsertOutcome): boolean {
  return kind === 'conflict';
}
