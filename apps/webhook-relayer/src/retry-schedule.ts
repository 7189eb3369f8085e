import type { RetryProfile } from './delivery-ports.js';

export interface RetrySchedule {
  /** The rest after the first attempt, after the second, and so on; there is one attempt more than there are rests. */
  readonly restsMs: readonly number[];
  /** Share of the rest by which it is moved at most, either way. */
  readonly jitter: number;
  /** How far an endpoint's own wish may postpone the next attempt. */
  readonly longestWishMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Doubling rests up to a cap. */
function doubling(options: { initialMs: number; capMs: number; attempts: number }): number[] {
  return Array.from({ length: options.attempts - 1 }, (_, at) =>
    Math.min(options.capMs, options.initialMs * 2 ** at),
  );
}

export const retrySchedules: Readonly<Record<RetryProfile, RetrySchedule>> = {
  /** After 1, 2, 4 and 8 seconds; the fifth attempt is the last. */
  default: {
    restsMs: doubling({ initialMs: SECOND, capMs: HOUR, attempts: 5 }),
    jitter: 0.1,
    longestWishMs: HOUR,
  },
  /** Eleven attempts over three days: an endpoint may be away for a weekend. */
  long: {
    restsMs: [
      5 * SECOND,
      30 * SECOND,
      5 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      14 * HOUR,
      18 * HOUR,
      24 * HOUR,
    ],
    jitter: 0.1,
    longestWishMs: 24 * HOUR,
  },
};

export function attemptsOf(schedule: RetrySchedule): number {
  return schedule.restsMs.length + 1;
}

/**
 * The rest after the given attempt (1 is the first). An endpoint's own wish can only postpone the next attempt, and
 * not beyond its bound: it can neither hurry us nor park a delivery for ever.
 */
export function retryDelayMs(
  attempt: number,
  schedule: RetrySchedule,
  chance: { readonly random: () => number; readonly wishMs?: number | undefined },
): number {
  // A delivery may have more attempts left than its schedule has rests, when its subscription changed the profile.
  const rest = schedule.restsMs[attempt - 1] ?? schedule.restsMs.at(-1) ?? 0;
  const spread = 1 + schedule.jitter * (2 * chance.random() - 1);
  const wish = Math.min(chance.wishMs ?? 0, schedule.longestWishMs);
  return Math.round(Math.max(rest * spread, wish));
}

/** `Retry-After` in milliseconds from now: seconds or a date. Anything else is as if it were absent. */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const date = /GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
