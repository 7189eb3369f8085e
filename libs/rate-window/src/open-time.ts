// Which open time a store must know to place a group: from a little before each requested time to past its horizon.
import { calendarOf } from './calendar.js';
import type { RateConfig } from './ports.js';
import { lengthOf, unite } from './spans.js';
import type { Span } from './spans.js';

const DAY = 24 * 60 * 60 * 1_000;

/**
 * Open time for events that ask for these times, or null where it is always open. The clock of the database, which makes
 * the present of times that are past, may be up to a day off ours; and no window is longer than a day.
 */
export function openTimeFor(
  config: RateConfig,
  requestedTimes: readonly number[],
  now: number,
): readonly Span[] | null {
  if (config.calendar === null) return null;
  const calendar = calendarOf(config.calendar);
  const days = new Set(requestedTimes.map((time) => Math.floor(Math.max(time, now - DAY) / DAY) * DAY));
  const needed = unite(
    [...days].map((day) => ({ from: day - 2 * DAY, until: day + config.maxDelayMs + 4 * DAY })),
  );
  return needed.flatMap((range) => calendar.openSpans(range));
}

/** Whether the calendar leaves any open time for an event up to its horizon. */
export function isOpenBefore(config: RateConfig, horizon: number): boolean {
  if (config.calendar === null) return true;
  return (
    calendarOf(config.calendar).openSpans({ from: horizon - config.maxDelayMs, until: horizon + 1 }).length >
    0
  );
}

/** How many slots a window may hold: the share of its capacity that belongs to its open time. */
export function windowCapacity(config: Omit<RateConfig, 'version'>, windowStart: number): number {
  const { calendar, maxPerWindow, windowSizeMs } = config;
  if (calendar === null) return maxPerWindow;
  const open = calendarOf(calendar).openSpans({ from: windowStart, until: windowStart + windowSizeMs });
  return Number((BigInt(maxPerWindow) * BigInt(lengthOf(open))) / BigInt(windowSizeMs));
}

/** Whether some window between now and the horizon can hold a slot. */
export function hasAnySlot(config: Omit<RateConfig, 'version'>, now: number): boolean {
  if (config.calendar === null) return true;
  const { windowSizeMs } = config;
  const open = calendarOf(config.calendar).openSpans({ from: now, until: now + config.maxDelayMs + 1 });
  return open.some(({ from, until }) => {
    const first = Math.floor(from / windowSizeMs) * windowSizeMs;
    const last = Math.floor((until - 1) / windowSizeMs) * windowSizeMs;
    // A window in the middle of a span is open from end to end.
    return (
      last - first > windowSizeMs || windowCapacity(config, first) > 0 || windowCapacity(config, last) > 0
    );
  });
}
