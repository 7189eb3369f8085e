export interface RetrySchedule {
  readonly initialMs: number;
  readonly multiplier: number;
  readonly capMs: number;
  /** Share of the delay by which it is moved at most, either way. */
  readonly jitter: number;
  readonly maxAttempts: number;
}

/** After 1, 2, 4 and 8 seconds; the fifth attempt is the last. */
export const standardSchedule: RetrySchedule = {
  initialMs: 1_000,
  multiplier: 2,
  capMs: 3_600_000,
  jitter: 0.1,
  maxAttempts: 5,
};

/**
 * The delay after the given attempt (1 is the first). An endpoint's own wish can only postpone the next attempt, and
 * not beyond the cap: it can neither hurry us nor park a delivery for ever.
 */
export function retryDelayMs(
  attempt: number,
  schedule: RetrySchedule,
  chance: { readonly random: () => number; readonly wishMs?: number | undefined },
): number {
  const base = Math.min(schedule.capMs, schedule.initialMs * schedule.multiplier ** (attempt - 1));
  const spread = 1 + schedule.jitter * (2 * chance.random() - 1);
  const wish = Math.min(chance.wishMs ?? 0, schedule.capMs);
  return Math.round(Math.max(base * spread, wish));
}

/** `Retry-After` in milliseconds from now: seconds or a date. Anything else is as if it were absent. */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const date = /GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
