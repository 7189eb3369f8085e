import { firstStep, outcomeOfSend, outcomeOfStatus } from './decide-outcome.js';
import type { RetryPolicy } from './decide-outcome.js';
import type { Claim, Destination, Outcome } from './ports.js';

export interface Flight {
  readonly claim: Claim;
  /** aborts when the lease is lost */
  readonly signal: AbortSignal;
  /** false when renewals have failed for so long that the lease may soon run out */
  leaseIsSafe(): boolean;
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
export async function dispatchClaim(
  flight: Flight,
  destination: Destination,
  { policy, callTimeoutMs }: { readonly policy: RetryPolicy; readonly callTimeoutMs: number },
): Promise<Outcome | undefined> {
  const { claim } = flight;
  const step = firstStep(claim, destination);
  if (step.kind === 'settle') return step.outcome;

  let unresolved = claim.outcomeUnknown;
  if (step.kind === 'ask' && destination.status) {
    if (!flight.leaseIsSafe()) return undefined;
    const ask = destination.status.bind(destination);
    const answer = await limited(flight.signal, callTimeoutMs, (signal) => ask(claim, signal));
    const outcome = outcomeOfStatus(claim, answer, policy);
    if (outcome) return outcome;
    unresolved = false;
  }

  if (!flight.leaseIsSafe()) return undefined;
  const result = await limited(flight.signal, callTimeoutMs, (signal) => destination.send(claim, signal));
  return outcomeOfSend(claim, result, { destination, unresolved, policy });
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
