import type { Payment, PaymentId, StatusChange } from '@sluice/payments';
import type {
  InitWorkflows,
  PaymentViews,
  Receipt,
  Receipts,
  TimelineSource,
  TimelineStep,
} from './ports.js';
import { traceIdOf } from './trace.js';

interface ShownStep extends Omit<TimelineStep, 'at'> {
  readonly at: string;
  readonly part: string;
}

export interface TimelinePart {
  readonly part: string;
  readonly service: string;
  readonly state: 'found' | 'absent' | 'unavailable' | 'not-configured';
  readonly detail?: string;
}

export interface Timeline {
  readonly paymentId: PaymentId;
  readonly status: string;
  readonly traceId: string | null;
  /** False when a part did not answer. */
  readonly complete: boolean;
  readonly steps: readonly ShownStep[];
  readonly parts: readonly TimelinePart[];
}

/** Undefined: no such payment was taken in. */
export type ComposeTimeline = (paymentId: PaymentId) => Promise<Timeline | undefined>;

interface Parts {
  readonly views: Pick<PaymentViews, 'find' | 'listStatusChanges'>;
  readonly receipts: Pick<Receipts, 'find'>;
  readonly workflows: Pick<InitWorkflows, 'find'>;
  readonly sources: readonly TimelineSource[];
}

/** Everything that is known of one payment, from whoever knows it. Who does not answer is named, not left out. */
export function createComposeTimeline(parts: Parts): ComposeTimeline {
  return async (paymentId) => {
    const [receipt] = await parts.receipts.find([paymentId]);
    const payment = await parts.views.find(paymentId);
    if (payment === undefined && !(await isOnItsWay(receipt, parts.workflows))) return undefined;
    const changes = await parts.views.listStatusChanges(paymentId);
    const own = { part: 'payment', service: 'ingest', state: 'found' } as const;
    const statuses = changes.map(({ to }) => to);
    const others = await Promise.all(parts.sources.map((source) => ask(source, { paymentId, statuses })));
    const steps = [
      ...receiptSteps(receipt).map((step) => show('intake', step)),
      ...changes.map((change) => show('payment', changeStep(change, payment))),
      ...others.flatMap(({ part, steps: found }) => found.map((step) => show(part.part, step))),
    ];
    return {
      paymentId,
      status: payment?.status ?? 'RECEIVED',
      traceId: receipt?.traceparent ? traceIdOf(receipt.traceparent) : null,
      complete: others.every(({ part: { state } }) => state === 'found' || state === 'absent'),
      steps: steps.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
      parts: [own, ...others.map(({ part }) => part)],
    };
  };
}

/** A receipt alone is no payment: its start may have failed. */
async function isOnItsWay(
  receipt: Receipt | undefined,
  workflows: Pick<InitWorkflows, 'find'>,
): Promise<boolean> {
  if (receipt === undefined) return false;
  const run = await workflows.find(receipt.initWorkflowId);
  if (run.kind === 'unavailable') throw new Error('Temporal did not answer', { cause: run.cause });
  return run.kind === 'found';
}

function receiptSteps(receipt: Receipt | undefined): TimelineStep[] {
  if (receipt === undefined) return [];
  const { receivedAt, intake, sentBy, initWorkflowId } = receipt;
  return [
    { at: receivedAt, step: 'RECEIVED', detail: `by ${intake} from ${sentBy}`, ids: { initWorkflowId } },
  ];
}

function changeStep({ from, to, reason, by, at }: StatusChange, payment: Payment | undefined): TimelineStep {
  const why = reason === null ? '' : `: ${reason.code}, ${reason.detail}`;
  const slot =
    from === null && payment?.scheduledTime ? `, to run at ${payment.scheduledTime.toISOString()}` : '';
  return { at, step: to, detail: `${from === null ? 'written' : `from ${from}`}${slot}${why}`, ids: { by } };
}

async function ask(
  source: TimelineSource,
  payment: Parameters<TimelineSource['read']>[0],
): Promise<{ part: TimelinePart; steps: readonly TimelineStep[] }> {
  const { part, service } = source;
  if (!source.configured) {
    return {
      part: { part, service, state: 'not-configured', detail: `the address of ${service} is not set` },
      steps: [],
    };
  }
  try {
    const steps = await source.read(payment);
    return { part: { part, service, state: steps === undefined ? 'absent' : 'found' }, steps: steps ?? [] };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { part: { part, service, state: 'unavailable', detail }, steps: [] };
  }
}

function show(part: string, { at, ...step }: TimelineStep): ShownStep {
  return { part, at: at.toISOString(), ...step };
}
