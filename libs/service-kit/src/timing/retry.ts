import { backoffDelay } from './backoff.js';
import type { BackoffPolicy } from './backoff.js';
import { pause } from './pause.js';

export interface RetryPolicy extends BackoffPolicy {
  /** How often the work is tried at most, the first time included. */
  readonly maxAttempts: number;
  /** Aborted: no further attempt begins, and the last error is thrown. */
  readonly signal?: AbortSignal;
  /** Says no: the error is thrown at once. Without it every error is worth another attempt. */
  readonly isRetryable?: (error: unknown) => boolean;
}

/** Does the work until it succeeds, and throws the last error when it may not try again. Attempts count from 1. */
export async function retry<T>(work: (attempt: number) => Promise<T>, policy: RetryPolicy): Promise<T> {
  const signal = policy.signal ?? new AbortController().signal;
  signal.throwIfAborted();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      const mayTryAgain = attempt < policy.maxAttempts && (policy.isRetryable?.(error) ?? true);
      if (!mayTryAgain || signal.aborted) throw error;
      await pause(backoffDelay(attempt, policy), signal);
      if (signal.aborted) throw error;
    }
  }
}
