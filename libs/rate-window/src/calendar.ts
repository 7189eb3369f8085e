// Open time of a calendar. An instant is open if the clock on the wall of the calendar's zone shows an open time at it, so
// that an hour that is shown twice in autumn is open twice, and one that is left out in spring never.
import { WEEKDAYS } from './calendar-rules.js';
import type { CalendarRules, LocalSpan } from './calendar-rules.js';
import { clip, subtract, unite } from './spans.js';
import type { Span } from './spans.js';
import { createOffsetAt, offsetSpans } from './time-zone.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Ranges whose open time is remembered; a busy config asks for the same few again and again. */
const MEMORY_LIMIT = 64;

export interface Calendar {
  /** The open time in a range, as sorted spans of milliseconds since the epoch. */
  openSpans(range: Span): readonly Span[];
}

const made = new WeakMap<CalendarRules, Calendar>();

/** The calendar of these rules; one that was made for the same object is used again. */
export function calendarOf(rules: CalendarRules): Calendar {
  const known = made.get(rules);
  if (known !== undefined) return known;
  const calendar = createCalendar(rules);
  made.set(rules, calendar);
  return calendar;
}

function createCalendar(rules: CalendarRules): Calendar {
  const offsetAt = createOffsetAt(rules.timeZone);
  const holidays = new Set((rules.holidays ?? []).map((date) => Date.parse(`${date}T00:00:00Z`)));
  const blackouts = unite(
    (rules.blackouts ?? []).map(({ from, until }) => ({ from: Date.parse(from), until: Date.parse(until) })),
  );
  const remembered = new Map<string, readonly Span[]>();

  const compute = (range: Span): Span[] => {
    const open = offsetSpans(offsetAt, range).flatMap(({ from, until, offset }) => {
      const wall = { from: from + offset, until: until + offset };
      return clip(openWallTime(rules, holidays, wall), wall).map((span) => ({
        from: span.from - offset,
        until: span.until - offset,
      }));
    });
    return subtract(unite(open), blackouts);
  };

  return {
    openSpans(range) {
      const days = { from: Math.floor(range.from / DAY) * DAY, until: Math.ceil(range.until / DAY) * DAY };
      const key = `${days.from} ${days.until}`;
      const spans = remembered.get(key) ?? compute(days);
      if (remembered.size >= MEMORY_LIMIT) remembered.clear();
      remembered.set(key, spans);
      return clip(spans, range);
    },
  };
}

/** Open time on a wall clock that never jumps; its times are written as if they were UTC. */
function openWallTime(rules: CalendarRules, holidays: ReadonlySet<number>, wall: Span): Span[] {
  const open: Span[] = [];
  const closed: Span[] = [];
  // Hours of the day before may reach over midnight.
  for (let day = Math.floor(wall.from / DAY) * DAY - DAY; day < wall.until; day += DAY) {
    const weekday = WEEKDAYS[new Date(day).getUTCDay()] ?? 'sunday';
    const hours = rules.hours === undefined ? [{ from: '00:00', until: '24:00' }] : rules.hours[weekday];
    if (holidays.has(day)) closed.push({ from: day, until: day + DAY });
    else open.push(...(hours ?? []).map((span) => onDay(day, span)));
    closed.push(...(rules.dailyBlackouts ?? []).map((span) => onDay(day, span)));
  }
  return subtract(unite(open), unite(closed));
}

function onDay(day: number, { from, until }: LocalSpan): Span {
  const [start, end] = [minutesOf(from), minutesOf(until)];
  return { from: day + start * MINUTE, until: day + end * MINUTE + (end <= start ? DAY : 0) };
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
