import { firstStep, outcomeOfSend, outcomeOfStatus } from './decide-outcome.js';
import type { RetryPolicy } from './decide-outcome.js';
import type { Destination } from './destination.js';
import type { Claim, Outcome } from './ports.js';

/** The lease under which a claim is dispatched. */
export interface LeaseWatch {
  /** aborts when the lease is lost */
  readonly signal: AbortSignal;
  /** false when renewals have failed for so long that the lease may soon run out */
  isSafe(): boolean;
}

export interface DispatchOptions {
  readonly destination: Destination;
  readonly policy: RetryPolicy;
  readonly callTimeoutMs: number;
  readonly lease: LeaseWatch;
}

interface CallProblem {
  readonly kind: 'unknown';
  readonly code: string;
  readonly message: string;
}

/**
 * Takes one claimed instruction to its destination. Undefined when the lease is no longer safe: another relay may
 * soon take over, so nothing is sent and nothing is recorded, and the reaper requeues it.
 */
export async function dispatchClaim(claim: Claim, options: DispatchOptions): Promise<Outcome | undefined> {
  const { destination, policy, callTimeoutMs, lease } = options;
  let situation = { destination, policy, unresolved: claim.outcomeUnknown };
  const step = firstStep(claim, situation);
  if (step.kind === 'settle') return step.outcome;

  if (step.kind === 'ask' && destination.status) {
    if (!lease.isSafe()) return undefined;
    const ask = destination.status.bind(destination);
    const answer = await limited(lease.signal, callTimeoutMs, (signal) => ask(claim, signal));
    const outcome = outcomeOfStatus(claim, answer, situation);
    if (outcome) return outcome;
    situation = { ...situation, unresolved: false };
  }

  if (!lease.isSafe()) return undefined;
  const result = await limited(lease.signal, callTimeoutMs, (signal) => destination.send(claim, signal));
  return outcomeOfSend(claim, result, situation);
}

/** A hard limit, also over a destination that does not look at its signal. */
async function limited<T>(
  lease: AbortSignal,
  ms: number,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T | CallProblem> {
  const limit = new AbortController();
  let stop: (problem: CallProblem) => void = () => undefined;
  const stopped = new Promise<CallProblem>((resolve) => (stop = resolve));
  const end = (code: string, message: string): void => {
    stop({ kind: 'unknown', code, message });
    limit.abort();
  };
  const timer = setTimeout(() => end('CALL_TIMEOUT', `no answer within ${ms} ms`), ms);
  const lost = (): void => end('LEASE_LOST', 'the lease was lost during the call');
  lease.addEventListener('abort', lost, { once: true });
  try {
    return await Promise.race([call(limit.signal), stopped]);
  } catch (error) {
    return {
      kind: 'unknown',
      code: 'CALL_FAILED',
      message: error instanceof Error ? error.message : String(error),
    };
  } finally {
    clearTimeout(timer);
    lease.removeEventListener('abort', lost);
  }
}
