export interface BackoffPolicy {
  /** Upper bound of the first delay. */
  readonly initialMs: number;
  /** Upper bound of every delay. */
  readonly capMs: number;
  /** A number in [0, 1), `Math.random` outside of tests. */
  readonly random: () => number;
}

/**
 * The delay before attempt `attempt + 1`, after `attempt` failures (1 is the first). Full jitter: evenly spread
 * between zero and a bound that doubles up to the cap, so that callers that failed together do not return together.
 */
export function backoffDelay(attempt: number, policy: BackoffPolicy): number {
  // 2 ** 1024 is Infinity, and 0 * Infinity is not a number: the exponent stays far below.
  const doublings = Math.min(Math.max(0, Math.floor(attempt) - 1), 60);
  const bound = Math.min(policy.capMs, policy.initialMs * 2 ** doublings);
  return Math.floor(policy.random() * bound);
}
