import type { Destination, SendResult, StatusResult } from '@sluice/outbox';
import type { Circuit } from './circuit.js';
import { judgeSend, judgeStatus } from './judge-answer.js';
import type { StatusVerdict, Verdict } from './judge-answer.js';
import type { Rail } from './rail.js';
import { invalidPayload } from './rail-codes.js';
import { readOrder } from './read-order.js';

// Of a rail that cannot take an order now and does not say when it can.
const standardWaitMs = 1_000;
const longestWaitMs = 60_000;

/** One rail as the outbox's relay sees it: what may leave now, and what became of it. */
export function railDestination(rail: Rail, circuit: Circuit): Destination {
  const { status: ask } = rail;

  /** Undefined when the circuit keeps the call back. */
  async function call<V extends { readonly class: string }>(ask: () => Promise<V>): Promise<V | undefined> {
    const passage = circuit.enter();
    if (passage === undefined) return undefined;
    const verdict = await ask();
    if (verdict.class === 'outage' || verdict.class === 'unknown') passage.failed();
    else passage.succeeded();
    return verdict;
  }

  const closed = () => deferral({ code: 'CIRCUIT_OPEN', message: `the circuit of ${rail.name} is open` });
  const deferral = ({ code, message, retryAfterMs }: Pick<Verdict, 'code' | 'message' | 'retryAfterMs'>) => {
    const waitMs = Math.max(circuit.view().waitMs, retryAfterMs ?? 0) || standardWaitMs;
    return { kind: 'deferred', code, message, retryAfterMs: Math.min(waitMs, longestWaitMs) } as const;
  };

  return {
    recognisesKeys: rail.capabilities.recognisesKeys,
    capacity: () => circuit.room(),
    async send(instruction, signal) {
      const reading = readOrder(instruction);
      if (reading.kind === 'invalid') {
        return { kind: 'terminal', code: invalidPayload, message: reading.problems };
      }
      const verdict = await call(async () => judgeSend(await rail.send(reading.order, signal)));
      return verdict ? sendResult(verdict, deferral) : closed();
    },
    ...(ask && {
      status: async ({ idempotencyKey }, signal) => {
        const verdict = await call(async () => judgeStatus(await ask(idempotencyKey, signal)));
        if (!verdict) return closed();
        // A question that a silent rail does not answer moved no money and taught nothing: it costs no attempt. While the
        // circuit is closed it does, or an instruction whose status alone is never told would wait for ever unseen.
        if (verdict.class === 'unknown' && circuit.view().state !== 'CLOSED') return deferral(verdict);
        return statusResult(verdict, deferral);
      },
    }),
  };
}

type Defer = (verdict: Verdict) => Extract<SendResult, { kind: 'deferred' }>;

function sendResult(verdict: Verdict, defer: Defer): SendResult {
  const { class: answerClass, code, message, reference, retryAfterMs } = verdict;
  switch (answerClass) {
    case 'executed':
      return { kind: 'executed', reference, code };
    case 'retry':
      return { kind: 'retryable', code, message, retryAfterMs };
    case 'throttled':
    case 'outage':
      return defer(verdict);
    case 'reject':
      return { kind: 'terminal', code, message };
    case 'hold':
      return { kind: 'terminal', code, message, holds: true };
    case 'unknown':
      return { kind: 'unknown', code, message };
  }
}

function statusResult(verdict: StatusVerdict, defer: Defer): StatusResult {
  switch (verdict.class) {
    case 'executed':
      return { kind: 'executed', reference: verdict.reference, code: verdict.code };
    case 'notExecuted':
      return { kind: 'notExecuted' };
    case 'throttled':
    case 'outage':
      return defer(verdict);
    case 'unknown':
      return { kind: 'unknown', code: verdict.code, message: verdict.message };
  }
}
