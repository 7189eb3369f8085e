// When slots may lie, as an operator states it. Everything here is text, so that it is stored and shown as it was said.
import { z } from 'zod';
import { parseInstant } from './instant.js';

export const WEEKDAYS = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;

export type Weekday = (typeof WEEKDAYS)[number];

/** Local times as HH:mm. An end at or before its beginning lies on the next day; 24:00 is the end of the day. */
export interface LocalSpan {
  readonly from: string;
  readonly until: string;
}

export interface CalendarRules {
  /** A name of the IANA database, such as America/New_York. */
  readonly timeZone: string;
  /** Open hours of each weekday; a day that is not named is closed. Without hours every day is open. */
  readonly hours?: Readonly<Partial<Record<Weekday, readonly LocalSpan[]>>> | undefined;
  /** Local dates (YYYY-MM-DD) on which nothing opens. Hours that begin the day before end at midnight. */
  readonly holidays?: readonly string[] | undefined;
  /** Closed on every day, whatever the hours say. */
  readonly dailyBlackouts?: readonly LocalSpan[] | undefined;
  /** Closed once, between two instants. */
  readonly blackouts?: readonly { readonly from: string; readonly until: string }[] | undefined;
}

/** The most spans, holidays or blackouts that one list of a calendar may have. */
const LIST_LIMIT = 1_000;

const localTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a local time HH:mm, 00:00 to 23:59');
const endOfSpan = z
  .string()
  .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'a local time HH:mm, 00:00 to 24:00');
const localSpan = z.strictObject({ from: localTime, until: endOfSpan });
const localDate = z.iso.date();
const instant = z
  .string()
  .refine((text) => parseInstant(text) !== undefined, 'an ISO-8601 instant with Z or an offset');
const blackout = z
  .strictObject({ from: instant, until: instant })
  .refine(({ from, until }) => Date.parse(from) < Date.parse(until), 'a blackout ends after it begins');

/** A calendar from the outside; an unknown zone, date or field is named. */
export const calendarRules = z.strictObject({
  timeZone: z.string().max(64).refine(isTimeZone, 'a time zone of the IANA database, such as Europe/Berlin'),
  hours: z.partialRecord(z.enum(WEEKDAYS), z.array(localSpan).max(24)).optional(),
  holidays: z.array(localDate).max(LIST_LIMIT).optional(),
  dailyBlackouts: z.array(localSpan).max(24).optional(),
  blackouts: z.array(blackout).max(LIST_LIMIT).optional(),
});

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
