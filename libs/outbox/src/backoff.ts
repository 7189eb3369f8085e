export interface BackoffPolicy {
  readonly initialMs: number;
  readonly capMs: number;
}

/** Full jitter: a random time up to an exponentially growing, capped bound, so that retries do not arrive together. */
export function backoffDelay(attempt: number, policy: BackoffPolicy, random: () => number): number {
  const bound = Math.min(policy.capMs, policy.initialMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(random() * bound);
}
