import type { SendResult, Settlement } from './delivery-ports.js';
import { parseRetryAfter, retryDelayMs } from './retry-schedule.js';
import type { RetrySchedule } from './retry-schedule.js';

export type StatusMeaning = 'delivered' | 'gone' | 'retry' | 'failed';

/** What an endpoint's status says about the delivery. */
export function meaningOf(status: number): StatusMeaning {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 410) return 'gone';
  if (status === 408 || status === 425 || status === 429 || status >= 500) return 'retry';
  return 'failed';
}

export interface OutcomeRules {
  readonly schedule: RetrySchedule;
  readonly random: () => number;
  readonly now: Date;
}

/** What becomes of a delivery after one attempt. */
export function decideOutcome(
  result: SendResult,
  attempt: { readonly attemptNo: number; readonly maxAttempts: number },
  rules: OutcomeRules,
): Settlement {
  const record = describeResult(result);
  if (result.kind === 'interrupted') {
    // Our own shutdown is no fault of the endpoint: the attempt is given back.
    return { outcome: 'interrupted', status: 'pending', delayMs: 0, attemptsBack: 1, record };
  }
  const meaning = result.kind === 'response' ? meaningOf(result.status) : 'retry';
  if (meaning !== 'retry') return finished(meaning, record);
  if (attempt.attemptNo >= attempt.maxAttempts) return finished('exhausted', record);
  const wishMs = result.kind === 'response' ? parseRetryAfter(result.retryAfter, rules.now) : undefined;
  const delayMs = retryDelayMs(attempt.attemptNo, rules.schedule, { random: rules.random, wishMs });
  return { outcome: 'retry', status: 'pending', delayMs, attemptsBack: 0, record };
}

function finished(
  outcome: 'delivered' | 'gone' | 'failed' | 'exhausted',
  record: Settlement['record'],
): Settlement {
  const status = outcome === 'delivered' ? 'delivered' : 'failed';
  return { outcome, status, delayMs: 0, attemptsBack: 0, record };
}

function describeResult(result: SendResult): Settlement['record'] {
  const { durationMs } = result;
  if (result.kind === 'failure') return { durationMs, errorCode: result.code, errorDetail: result.detail };
  if (result.kind === 'interrupted') return { durationMs, errorCode: 'INTERRUPTED' };
  const failed = meaningOf(result.status) !== 'delivered';
  return {
    durationMs,
    statusCode: result.status,
    responseBody: result.body,
    errorDetail: result.note,
    ...(failed ? { errorCode: `HTTP_${result.status}` } : {}),
  };
}

/**
 * What an attempt says about the endpoint itself. A refusal of one payload (404, 422) shows an endpoint that works; what we
 * interrupted shows nothing.
 */
export function verdictOn(result: SendResult): 'success' | 'failure' | 'neutral' {
  if (result.kind === 'interrupted') return 'neutral';
  if (result.kind === 'failure') return 'failure';
  return meaningOf(result.status) === 'retry' ? 'failure' : 'success';
}
