import fc from 'fast-check';
import { calendarOf } from './calendar.js';
import type { CalendarRules, LocalSpan } from './calendar-rules.js';
import { lengthOf } from './spans.js';

const HOUR = 60 * 60 * 1_000;
const DAY = 24 * HOUR;
const nightShift = [{ from: '22:00', until: '06:00' }];
const everyDay = (hours: readonly LocalSpan[]) => ({
  ...{ sunday: hours, monday: hours, tuesday: hours, wednesday: hours },
  ...{ thursday: hours, friday: hours, saturday: hours },
});

describe('open time of a calendar', () => {
  it('is all time where nothing is closed', () => {
    expect(openOn({ timeZone: 'Asia/Tokyo' }, '2026-03-01', 2)).toEqual([
      '2026-03-01T00:00:00.000Z to 2026-03-03T00:00:00.000Z',
    ]);
  });

  it('follows the hours of each weekday in the zone of the calendar', () => {
    const hours = {
      friday: [
        { from: '09:00', until: '12:00' },
        { from: '13:00', until: '24:00' },
      ],
    };
    // A Thursday, a Friday and a Saturday.
    expect(openOn({ timeZone: 'Asia/Kolkata', hours }, '2026-03-05', 3)).toEqual([
      '2026-03-06T03:30:00.000Z to 2026-03-06T06:30:00.000Z',
      '2026-03-06T07:30:00.000Z to 2026-03-06T18:30:00.000Z',
    ]);
  });

  it('lets hours reach over midnight, but not into a holiday', () => {
    const rules = { timeZone: 'UTC', hours: everyDay(nightShift), holidays: ['2026-03-03'] };
    expect(openOn(rules, '2026-03-02', 3)).toEqual([
      '2026-03-02T00:00:00.000Z to 2026-03-02T06:00:00.000Z',
      '2026-03-02T22:00:00.000Z to 2026-03-03T00:00:00.000Z',
      '2026-03-04T22:00:00.000Z to 2026-03-05T00:00:00.000Z',
    ]);
  });

  it('closes a blackout that lies over midnight, every day or once', () => {
    const daily = { timeZone: 'UTC', dailyBlackouts: [{ from: '23:30', until: '00:30' }] };
    expect(openOn(daily, '2026-03-02', 2)).toEqual([
      '2026-03-02T00:30:00.000Z to 2026-03-02T23:30:00.000Z',
      '2026-03-03T00:30:00.000Z to 2026-03-03T23:30:00.000Z',
    ]);
    const once = {
      timeZone: 'UTC',
      blackouts: [{ from: '2026-03-02T23:30:00Z', until: '2026-03-03T01:30:00+01:00' }],
    };
    expect(openOn(once, '2026-03-02', 2)).toEqual([
      '2026-03-02T00:00:00.000Z to 2026-03-02T23:30:00.000Z',
      '2026-03-03T00:30:00.000Z to 2026-03-04T00:00:00.000Z',
    ]);
  });

  it('knows a leap day, as a day and as a holiday', () => {
    const hours = everyDay([{ from: '12:00', until: '13:00' }]);
    const around = (holidays: string[]) => openOn({ timeZone: 'UTC', hours, holidays }, '2028-02-28', 3);
    expect(around([])).toHaveLength(3);
    expect(around(['2028-02-29'])).toEqual([
      '2028-02-28T12:00:00.000Z to 2028-02-28T13:00:00.000Z',
      '2028-03-01T12:00:00.000Z to 2028-03-01T13:00:00.000Z',
    ]);
  });
});

describe('a change of the clock', () => {
  const newYork = (hours: { from: string; until: string }) => ({
    timeZone: 'America/New_York',
    hours: everyDay([hours]),
  });

  it('in spring leaves out the hour that the clock leaves out', () => {
    // On 8 March 2026 the clock goes from 02:00 to 03:00, which is 07:00 UTC.
    expect(openOn(newYork({ from: '01:30', until: '03:30' }), '2026-03-08', 1)).toEqual([
      '2026-03-08T06:30:00.000Z to 2026-03-08T07:30:00.000Z',
    ]);
    expect(openOn(newYork({ from: '02:00', until: '03:00' }), '2026-03-08', 1)).toEqual([]);
  });

  it('in autumn is open twice in the hour that the clock shows twice', () => {
    // On 1 November 2026 the clock goes from 02:00 back to 01:00, which is 06:00 UTC.
    expect(openOn(newYork({ from: '01:00', until: '02:00' }), '2026-11-01', 1)).toEqual([
      '2026-11-01T05:00:00.000Z to 2026-11-01T07:00:00.000Z',
    ]);
    expect(openOn(newYork({ from: '01:30', until: '04:00' }), '2026-11-01', 1)).toEqual([
      '2026-11-01T05:30:00.000Z to 2026-11-01T06:00:00.000Z',
      '2026-11-01T06:30:00.000Z to 2026-11-01T09:00:00.000Z',
    ]);
  });

  it('makes the day of the change an hour shorter or longer for office hours around the clock', () => {
    const lengthOn = (day: string, next: string) =>
      lengthOf(
        calendarOf({ timeZone: 'Europe/Berlin', blackouts: [] }).openSpans({
          from: Date.parse(day),
          until: Date.parse(next),
        }),
      );
    expect(lengthOn('2026-03-29T00:00:00+01:00', '2026-03-30T00:00:00+02:00')).toBe(23 * HOUR);
    expect(lengthOn('2026-10-25T00:00:00+02:00', '2026-10-26T00:00:00+01:00')).toBe(25 * HOUR);
  });

  it('moves office hours against UTC and nothing else', () => {
    const office = { timeZone: 'Europe/Berlin', hours: everyDay([{ from: '09:00', until: '17:00' }]) };
    expect(openOn(office, '2026-03-28', 2)).toEqual([
      '2026-03-28T08:00:00.000Z to 2026-03-28T16:00:00.000Z',
      '2026-03-29T07:00:00.000Z to 2026-03-29T15:00:00.000Z',
    ]);
  });
});

describe('an instant', () => {
  const zones = [
    'America/New_York',
    'Europe/London',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Africa/Casablanca',
  ];

  it('is open if and only if the clock on the wall shows an open time', () => {
    fc.assert(
      fc.property(
        fc.record({
          timeZone: fc.constantFrom(...zones),
          from: fc.integer({ min: 0, max: 23 }),
          until: fc.integer({ min: 1, max: 24 }),
          instant: fc.integer({
            min: Date.parse('2024-01-01T00:00:00Z'),
            max: Date.parse('2027-12-31T00:00:00Z'),
          }),
        }),
        ({ timeZone, from, until, instant }) => {
          const hours = [{ from: clock(from), until: clock(until) }];
          const open = calendarOf({ timeZone, hours: everyDay(hours) }).openSpans({
            from: instant,
            until: instant + 1,
          });
          const wall = wallHour(timeZone, instant);
          const isOpen = from < until ? wall >= from && wall < until : wall >= from || wall < until;
          expect(open.length === 1).toBe(isOpen);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('has the same open time whatever range it is asked in', () => {
    const rules = { timeZone: 'America/New_York', hours: everyDay([{ from: '08:15', until: '19:45' }]) };
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 400 * DAY }),
        fc.integer({ min: 1, max: 3 * DAY }),
        (start, length) => {
          const from = Date.parse('2026-01-01T00:00:00Z') + start;
          const middle = from + Math.floor(length / 2);
          const calendar = calendarOf(rules);
          const whole = lengthOf(calendar.openSpans({ from, until: from + length }));
          const halves =
            lengthOf(calendar.openSpans({ from, until: middle })) +
            lengthOf(calendar.openSpans({ from: middle, until: from + length }));
          expect(halves).toBe(whole);
        },
      ),
    );
  });
});

function openOn(rules: CalendarRules, day: string, days: number): string[] {
  const from = Date.parse(`${day}T00:00:00Z`);
  const text = (ms: number) => new Date(ms).toISOString();
  return calendarOf(rules)
    .openSpans({ from, until: from + days * DAY })
    .map((span) => `${text(span.from)} to ${text(span.until)}`);
}

function clock(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}

function wallHour(timeZone: string, instant: number): number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
  return Number(format.format(instant));
}
