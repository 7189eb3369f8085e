// What the clock on the wall shows in a time zone, from nothing but Intl.
import type { Span } from './spans.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A stretch of time in which the wall clock runs beside UTC at a fixed distance: wall time is instant + offset. */
export interface OffsetSpan extends Span {
  readonly offset: number;
}

/** Cuts the span where the zone changes its offset, as it does when summer time begins and ends. */
export function offsetSpans(offsetAt: (instant: number) => number, { from, until }: Span): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  let start = from;
  let offset = offsetAt(from);
  // No zone changes its offset twice within a day.
  for (let at = from; at < until; at += DAY) {
    const next = Math.min(at + DAY, until);
    const after = offsetAt(next);
    if (after === offset) continue;
    const change = firstWith(offsetAt, after, { from: at, until: next });
    spans.push({ from: start, until: change, offset });
    start = change;
    offset = after;
  }
  if (start < until) spans.push({ from: start, until, offset });
  return spans;
}

/** Distance of the zone's wall clock from UTC at an instant, in milliseconds. */
export function createOffsetAt(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instant) => {
    const second = Math.floor(instant / 1_000) * 1_000;
    const parts = new Map(format.formatToParts(second).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const wall = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
    return wall - second;
  };
}

/** The first instant in (from, until] that has the offset; the span has one change of it. */
function firstWith(offsetAt: (instant: number) => number, offset: number, { from, until }: Span): number {
  let [before, after] = [from, until];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === offset) after = middle;
    else before = middle;
  }
  return after;
}
