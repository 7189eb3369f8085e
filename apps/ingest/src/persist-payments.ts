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
import type { SchedulableItem } from '@sluice/queue-core';
import type { Metrics } from './metrics.js';
import type { InitActivities, PersistInput, Verdict } from './phase-a.js';
import type { Payments, SlotAnswer } from './ports.js';

interface Parts {
  readonly payments: Pick<Payments, 'insertScheduled' | 'insertRejected' | 'findStamps'>;
  readonly metrics: Pick<Metrics, 'initialised'>;
}

/**
 * Writes the rows, and answers with what belongs into the queue. That is every payment of this run which stands at
 * SCHEDULED, also one that an earlier attempt wrote before it died: its queue row may be missing. The time is always
 * that of the row, so that the context comes out the same as it did then.
 */
export function createPersistPayments({ payments, metrics }: Parts): InitActivities['persistPayments'] {
  return async (input) => {
    const { scheduled, rejected } = sortOut(input);
    const scheduledOutcomes = await payments.insertScheduled(scheduled);
    const rejectedOutcomes = await payments.insertRejected(rejected);
    const known = await payments.findStamps(idsOf(input.verdicts, 'known'));

    const outcomes = [...scheduledOutcomes, ...rejectedOutcomes];
    const result = {
      scheduled: countOf(scheduledOutcomes, 'inserted'),
      rejected: countOf(rejectedOutcomes, 'inserted'),
      already: countOf(outcomes, 'already') + known.length,
      conflicts: [
        ...idsOf(input.verdicts, 'conflict'),
        ...outcomes.filter(isConflict).map(({ paymentId }) => paymentId),
      ],
      unreadable: input.verdicts.filter(({ kind }) => kind === 'unreadable').length,
    };
    metrics.initialised('scheduled', result.scheduled);
    metrics.initialised('rejected', result.rejected);
    metrics.initialised('already', result.already);
    metrics.initialised('conflict', result.conflicts.length);
    metrics.initialised('unreadable', result.unreadable);

    const standing = [...outcomes.filter((outcome) => !isConflict(outcome)), ...known];
    return { items: queueItems(standing, input), result };
  };
}

function sortOut({ requests, verdicts, slots, initWorkflowId }: PersistInput) {
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
      scheduled.push({
        ...common,
        request: PaymentRequest.parse(request),
        scheduledTime: new Date(slot.scheduledTime),
      });
    } else {
      rejected.push({ ...common, request, paymentId: verdict.paymentId, reason: slot.reason });
    }
  }
  return { scheduled, rejected };
}

function queueItems(
  standing: readonly (InsertOutcome | PaymentStamp)[],
  { requests, verdicts }: PersistInput,
): SchedulableItem[] {
  const requestOf = new Map<PaymentId, unknown>();
  for (const verdict of verdicts) {
    if (verdict.kind === 'ready' || verdict.kind === 'known')
      requestOf.set(verdict.paymentId, requests[verdict.index]);
  }
  return standing.flatMap(({ paymentId, status, scheduledTime }) => {
    if (status !== 'SCHEDULED' || scheduledTime === null) return [];
    const request = PaymentRequest.parse(requestOf.get(paymentId));
    const contextJson = writeExecContext(buildExecContext(request, scheduledTime));
    return [
      { itemId: paymentId, contextJson, contextVersion, scheduledExecTime: scheduledTime.toISOString() },
    ];
  });
}

function idsOf(verdicts: readonly Verdict[], kind: 'known' | 'conflict'): PaymentId[] {
  return verdicts.flatMap((verdict) => (verdict.kind === kind ? [verdict.paymentId] : []));
}

function isConflict(outcome: InsertOutcome): boolean {
  return outcome.kind === 'conflict';
}

function countOf(outcomes: readonly InsertOutcome[], kind: InsertOutcome['kind']): number {
  return outcomes.filter((outcome) => outcome.kind === kind).length;
}
