import { backoffDelay } from './backoff.js';
import type { BackoffPolicy } from './backoff.js';
import type { Destination, HoldPolicy, SendResult, StatusResult } from './destination.js';
import type { Claim, Outcome } from './ports.js';

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly backoff: BackoffPolicy;
  readonly random: () => number;
}

/** What an outcome depends on beside the answer. */
export interface Situation {
  readonly destination: Destination;
  readonly policy: RetryPolicy;
  /** an earlier attempt may have been executed and nothing has settled that question since */
  readonly unresolved: boolean;
}

interface Problem {
  readonly code: string;
  readonly message: string;
}

/** The next step with a claim. */
export type FirstStep =
  { readonly kind: 'send' } | { readonly kind: 'ask' } | { readonly kind: 'settle'; outcome: Outcome };

/** Never a blind second send: ask if the destination can answer, else rely on its keys, else leave it to an operator. */
export function firstStep(claim: Claim, situation: Situation): FirstStep {
  const { destination, policy, unresolved } = situation;
  if (claim.tryNo > policy.maxAttempts) {
    const message = 'every attempt ended with its relay; it may be what ends them';
    return { kind: 'settle', outcome: giveUp({ code: 'TOO_MANY_LOST_LEASES', message }, situation) };
  }
  if (destination.status && (unresolved || claim.redriven)) return { kind: 'ask' };
  if (destination.recognisesKeys || !unresolved) return { kind: 'send' };
  const message =
    'an earlier attempt may have been executed and the destination can neither tell nor recognise a repetition';
  return { kind: 'settle', outcome: doubt({ code: 'OUTCOME_UNKNOWN', message }, destination) };
}

/** Undefined means: surely not executed, send it. */
export function outcomeOfStatus(
  claim: Claim,
  result: StatusResult,
  situation: Situation,
): Outcome | undefined {
  switch (result.kind) {
    case 'notExecuted':
      return undefined;
    case 'executed':
      return result;
    case 'deferred':
      return deferral(result, situation);
    case 'unknown':
      return afterUnknown(claim, result, situation);
  }
}

export function outcomeOfSend(claim: Claim, result: SendResult, situation: Situation): Outcome {
  const { destination, unresolved, policy } = situation;
  switch (result.kind) {
    case 'executed':
      return result;
    case 'unknown':
      if (!destination.status && !destination.recognisesKeys) return doubt(result, destination);
      return afterUnknown(claim, result, situation);
    case 'deferred':
      return deferral(result, situation);
    case 'terminal':
      return giveUp(result, situation, result.holds);
    case 'retryable': {
      if (claim.tryNo >= policy.maxAttempts) return giveUp(result, situation);
      const { code, message, retryAfterMs = 0 } = result;
      const asked = Math.min(retryAfterMs, policy.backoff.capMs);
      const delayMs = Math.max(asked, backoffDelay(claim.tryNo, policy.backoff, policy.random));
      return { kind: 'retryLater', delayMs, outcomeUnknown: unresolved, code, message };
    }
  }
}

function afterUnknown(claim: Claim, problem: Problem, { destination, policy }: Situation): Outcome {
  const { code, message } = problem;
  if (claim.tryNo >= policy.maxAttempts) return doubt(problem, destination);
  const delayMs = backoffDelay(claim.tryNo, policy.backoff, policy.random);
  return { kind: 'retryLater', delayMs, outcomeUnknown: true, code, message };
}

function deferral(
  { code, message, retryAfterMs }: Problem & { readonly retryAfterMs: number },
  { policy, unresolved }: Situation,
): Outcome {
  const delayMs = Math.min(retryAfterMs, policy.backoff.capMs);
  return { kind: 'deferred', delayMs, outcomeUnknown: unresolved, code, message };
}

function giveUp(problem: Problem, { destination, unresolved }: Situation, holds?: boolean): Outcome {
  if (unresolved) return doubt(problem, destination);
  const { code, message } = problem;
  return { kind: 'failed', holds: holds ?? holdsOf(destination).afterFailure, code, message };
}

function doubt({ code, message }: Problem, destination: Destination): Outcome {
  return { kind: 'inDoubt', holds: holdsOf(destination).whileInDoubt, code, message };
}

function holdsOf({ holds }: Destination): HoldPolicy {
  return holds ?? { afterFailure: false, whileInDoubt: true };
}
