import { backoffDelay } from './backoff.js';
import type { BackoffPolicy } from './backoff.js';
import type { Claim, Destination, Outcome, SendResult, StatusResult } from './ports.js';

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly backoff: BackoffPolicy;
  readonly random: () => number;
}

/** The next step with a claim whose earlier attempt may have been executed. */
export type FirstStep =
  { readonly kind: 'send' } | { readonly kind: 'ask' } | { readonly kind: 'settle'; outcome: Outcome };

/** Never a blind second send: ask if the destination can answer, else rely on its keys, else leave it to an operator. */
export function firstStep(claim: Claim, destination: Destination): FirstStep {
  if (!claim.outcomeUnknown) return { kind: 'send' };
  if (destination.status) return { kind: 'ask' };
  if (destination.recognisesKeys) return { kind: 'send' };
  const message =
    'an earlier attempt may have been executed and the destination can neither tell nor recognise a repetition';
  return { kind: 'settle', outcome: { kind: 'inDoubt', code: 'OUTCOME_UNKNOWN', message } };
}

/** Undefined means: surely not executed, send it. */
export function outcomeOfStatus(
  claim: Claim,
  result: StatusResult,
  policy: RetryPolicy,
): Outcome | undefined {
  if (result.kind === 'notExecuted') return undefined;
  if (result.kind === 'executed') return result;
  return afterUnknown(claim, result, policy);
}

/** `unresolved`: an earlier attempt may have been executed and nothing has settled that question since. */
export function outcomeOfSend(
  claim: Claim,
  result: SendResult,
  situation: {
    readonly destination: Destination;
    readonly unresolved: boolean;
    readonly policy: RetryPolicy;
  },
): Outcome {
  const { destination, unresolved, policy } = situation;
  switch (result.kind) {
    case 'executed':
      return result;
    case 'unknown':
      if (!destination.status && !destination.recognisesKeys) return { ...result, kind: 'inDoubt' };
      return afterUnknown(claim, result, policy);
    case 'terminal':
      return { kind: unresolved ? 'inDoubt' : 'failed', code: result.code, message: result.message };
    case 'retryable': {
      const { code, message, retryAfterMs = 0 } = result;
      if (claim.attemptNo >= policy.maxAttempts)
        return { kind: unresolved ? 'inDoubt' : 'failed', code, message };
      const asked = Math.min(retryAfterMs, policy.backoff.capMs);
      const delayMs = Math.max(asked, backoffDelay(claim.attemptNo, policy.backoff, policy.random));
      return { kind: 'retryLater', delayMs, outcomeUnknown: unresolved, code, message };
    }
  }
}

function afterUnknown(
  claim: Claim,
  { code, message }: { readonly code: string; readonly message: string },
  policy: RetryPolicy,
): Outcome {
  if (claim.attemptNo >= policy.maxAttempts) return { kind: 'inDoubt', code, message };
  const delayMs = backoffDelay(claim.attemptNo, policy.backoff, policy.random);
  return { kind: 'retryLater', delayMs, outcomeUnknown: true, code, message };
}
