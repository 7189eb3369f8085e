import { createHash } from 'node:crypto';
import { fingerprintOf, type PaymentId, type PaymentRequest } from '@sluice/payments';
import type { Metrics } from './metrics.js';
import { mostPaymentsPerRun } from './phase-a.js';
import type { InitWorkflows, Origin, ReceiptClaim, Receipts } from './ports.js';

/** One payment at the door, in the form that its schema gave it. */
export interface Arrival {
  readonly request: PaymentRequest;
  readonly traceparent: string;
  /** Where this one came from, if not from where all of them did. */
  readonly sentBy?: string;
}

/**
 * accepted: it will reach a terminal state. repeated: it was accepted before, and that stands.
 * conflict: the id belongs to a payment with another content.
 * unavailable: nothing was promised; the same request may be sent again.
 */
export type Acceptance =
  | { readonly kind: 'accepted' | 'repeated' | 'conflict' }
  | { readonly kind: 'unavailable'; readonly cause: unknown };

export interface Delivery extends Origin {
  /** Of the run, where the way in has a better name for it than its content: the place of the messages. */
  readonly workflowId?: string;
}

/** Answers in the order of the arrivals. */
export type AcceptPayments = (arrivals: readonly Arrival[], delivery: Delivery) => Promise<Acceptance[]>;

interface Parts {
  readonly receipts: Pick<Receipts, 'claim'>;
  readonly workflows: Pick<InitWorkflows, 'start'>;
  readonly metrics: Pick<Metrics, 'intake'>;
}

interface Known extends Arrival {
  readonly fingerprint: string;
}

/**
 * Takes payments in, each once: the same may come any number of times, by any way, over any number of days. One statement
 * and one start for up to 200 of them.
 */
export function createAcceptPayments({ receipts, workflows, metrics }: Parts): AcceptPayments {
  async function acceptChunk(chunk: readonly Known[], delivery: Delivery): Promise<Acceptance[]> {
    const workflowId = delivery.workflowId ?? nameRun(chunk);
    try {
      const claims = await receipts.claim(
        chunk.map(({ request, fingerprint, traceparent, sentBy }) => ({
          paymentId: request.paymentId,
          fingerprint,
          traceparent,
          initWorkflowId: workflowId,
          intake: delivery.intake,
          sentBy: sentBy ?? delivery.sentBy,
        })),
      );
      // A receipt without a row is no promise: its start may have failed, so Phase A is started again, which it can bear.
      const waiting = chunk.filter((one, i) => isSame(one, claims[i]) && claims[i]?.kind !== 'stored');
      const start =
        waiting.length === 0
          ? undefined
          : await workflows.start({
              workflowId,
              requests: waiting.map(({ request }) => request),
              traceparent: commonTrace(waiting),
            });
      return chunk.map((one, i): Acceptance => {
        const claim = claims[i];
        if (!isSame(one, claim)) return { kind: 'conflict' };
        if (claim?.kind === 'stored') return { kind: 'repeated' };
        if (start?.kind === 'unavailable') return start;
        return { kind: claim?.kind === 'new' ? 'accepted' : 'repeated' };
      });
    } catch (cause) {
      return chunk.map(() => ({ kind: 'unavailable', cause }));
    }
  }

  async function acceptAll(known: readonly Known[], delivery: Delivery): Promise<Acceptance[]> {
    const firsts = new Map<PaymentId, Known>();
    for (const one of known) if (!firsts.has(one.request.paymentId)) firsts.set(one.request.paymentId, one);
    const unique = [...firsts.values()];
    const chunks: Known[][] = [];
    for (let at = 0; at < unique.length; at += mostPaymentsPerRun)
      chunks.push(unique.slice(at, at + mostPaymentsPerRun));
    const accepted = (await Promise.all(chunks.map((chunk) => acceptChunk(chunk, delivery)))).flat();
    const outcomes = new Map(unique.map((one, i) => [one, accepted[i] ?? { kind: 'conflict' as const }]));

    // Another content under an id of the same delivery is compared with whoever has the id by now, in a run of its own.
    const firstOf = (one: Known): Known | undefined => firsts.get(one.request.paymentId);
    const others = known.filter((one) => firstOf(one)?.fingerprint !== one.fingerprint);
    const { intake, sentBy } = delivery;
    const later = others.length === 0 ? [] : await acceptAll(others, { intake, sentBy });
    for (const [i, one] of others.entries()) outcomes.set(one, later[i] ?? { kind: 'conflict' });
    return known.map((one) => outcomes.get(one) ?? repetition(outcomes.get(firstOf(one) ?? one)));
  }

  return async (arrivals, delivery) => {
    const known = arrivals.map((arrival) => ({ ...arrival, fingerprint: fingerprintOf(arrival.request) }));
    const acceptances = await acceptAll(known, delivery);
    for (const { kind } of acceptances) metrics.intake(delivery.intake, kind);
    return acceptances;
  };
}

/** The same payment a second time in one delivery. */
function repetition(first: Acceptance | undefined): Acceptance {
  if (first === undefined || first.kind === 'accepted') return { kind: 'repeated' };
  return first;
}

function isSame({ fingerprint }: Known, claim: ReceiptClaim | undefined): boolean {
  return claim?.fingerprint === fingerprint;
}

/** The same payments are the same run, so that a chunk which is sent again is not started again. */
function nameRun(chunk: readonly Known[]): string {
  const [only] = chunk;
  if (chunk.length === 1 && only !== undefined) return `init-payment-${only.request.paymentId}`;
  const hash = createHash('sha256');
  for (const { request, fingerprint } of chunk) hash.update(`${request.paymentId} ${fingerprint}\n`);
  return `init-chunk-${hash.digest('hex').slice(0, 40)}`;
}

function commonTrace(chunk: readonly Known[]): string | undefined {
  const traces = new Set(chunk.map(({ traceparent }) => traceparent));
  return traces.size === 1 ? chunk[0]?.traceparent : undefined;
}
