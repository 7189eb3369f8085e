import { z } from 'zod';
import { Rail } from '../request.js';
import { instantOf, isTimeZone, nextDate, weekdayOf, zonedTime } from './zoned-time.js';

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

const clockTime = z
  .string()
  .regex(/^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/, 'a time such as 16:45')
  .transform((text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3)));

/** When a rail takes payments: on business days from `opens` until just before `cutOff`, by the clocks of its zone. */
export const RailCalendar = z
  .strictObject({
    timeZone: z.string().refine(isTimeZone, 'a time zone such as America/New_York'),
    opens: clockTime.prefault('00:00'),
    cutOff: clockTime.prefault('24:00'),
    days: z.array(z.enum(weekdays)).min(1).default(['Mon', 'Tue', 'Wed', 'Thu', 'Fri']),
    holidays: z.array(z.iso.date()).default([]),
    /** What becomes of a payment that comes too late: it waits for the next opening, or it is rejected. */
    late: z.enum(['next-day', 'refuse']).default('next-day'),
  })
  .refine(({ opens, cutOff }) => opens < cutOff, 'an opening before the cut-off')
  .transform(({ days, holidays, ...times }) => ({
    ...times,
    days: new Set(days.map((day) => weekdays.indexOf(day))),
    holidays: new Set(holidays),
  }));
export type RailCalendar = z.infer<typeof RailCalendar>;

/** The calendars of all rails as a configuration gives them. */
export const RailCalendarsInput = z.partialRecord(Rail, RailCalendar);

// No calendar is closed for so long; one whose holidays cover everything is a mistake that must not loop for ever.
const longestClosure = 400;

/** The instant itself if the rail is open then, else its next opening. Never before the instant. */
export function nextOpenInstant(calendar: RailCalendar, instant: Date): Date {
  const wanted = zonedTime(instant, calendar.timeZone);
  if (isBusinessDay(calendar, wanted.date)) {
    if (wanted.minutes >= calendar.opens && wanted.minutes < calendar.cutOff) return instant;
    if (wanted.minutes < calendar.opens) return opening(calendar, wanted.date);
  }
  let date = wanted.date;
  for (let day = 0; day < longestClosure; day += 1) {
    date = nextDate(date);
    if (isBusinessDay(calendar, date)) return opening(calendar, date);
  }
  throw new RangeError(`the calendar has no business day within ${longestClosure} days of ${wanted.date}`);
}

function isBusinessDay({ days, holidays }: RailCalendar, date: string): boolean {
  return days.has(weekdayOf(date)) && !holidays.has(date);
}

function opening({ opens, timeZone }: RailCalendar, date: string): Date {
  return instantOf({ date, minutes: opens }, timeZone);
}
