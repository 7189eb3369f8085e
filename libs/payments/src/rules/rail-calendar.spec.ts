import fc from 'fast-check';
import { nextOpenInstant, RailCalendar } from './rail-calendar.js';
import { instantOf, weekdayOf, zonedTime } from './zoned-time.js';

const ach = RailCalendar.parse({
  timeZone: 'America/New_York',
  opens: '08:00',
  cutOff: '16:45',
  holidays: ['2030-12-25'],
});
const next = (calendar: RailCalendar, instant: string) =>
  nextOpenInstant(calendar, new Date(instant)).toISOString();

describe('a rail with business hours', () => {
  test.each([
    ['in the middle of a business day, at once', '2030-01-15T15:00:00Z', '2030-01-15T15:00:00.000Z'],
    ['a second before the cut-off, at once', '2030-01-15T21:44:59Z', '2030-01-15T21:44:59.000Z'],
    ['at the cut-off, the next day', '2030-01-15T21:45:00Z', '2030-01-16T13:00:00.000Z'],
    ['before the opening, at the opening', '2030-01-15T12:00:00Z', '2030-01-15T13:00:00.000Z'],
    ['on Friday evening, on Monday', '2030-01-18T23:00:00Z', '2030-01-21T13:00:00.000Z'],
    ['on a holiday, the day after', '2030-12-25T15:00:00Z', '2030-12-26T13:00:00.000Z'],
    [
      'over the change of the clocks, at the same wall-clock time',
      '2030-03-08T22:00:00Z',
      '2030-03-11T12:00:00.000Z',
    ],
  ])('takes a payment that is wanted %s', (_when, wanted, expected) => {
    expect(next(ach, wanted)).toBe(expected);
  });

  test('never gives a time before the wish, outside of hours or on a closed day', () => {
    const zones = fc.constantFrom(
      'UTC',
      'America/New_York',
      'Europe/Berlin',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
    );
    const minutes = fc.integer({ min: 0, max: 1439 });
    const instants = fc.date({
      min: new Date('2024-01-01Z'),
      max: new Date('2034-01-01Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(
        fc.record({ timeZone: zones, one: minutes, other: minutes, wanted: instants }),
        (sample) => {
          const { timeZone, one, other, wanted } = sample;
          fc.pre(one !== other);
          const clock = (at: number) =>
            `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
          const [opens, cutOff] = [Math.min(one, other), Math.max(one, other)];
          const calendar = RailCalendar.parse({ timeZone, opens: clock(opens), cutOff: clock(cutOff) });
          const open = nextOpenInstant(calendar, wanted);
          const shown = zonedTime(open, timeZone);
          expect(open.getTime()).toBeGreaterThanOrEqual(wanted.getTime());
          expect([0, 6]).not.toContain(weekdayOf(shown.date));
          expect(shown.minutes).toBeGreaterThanOrEqual(opens);
          expect(shown.minutes).toBeLessThan(Math.max(cutOff, opens + 61));
          expect(nextOpenInstant(calendar, open)).toEqual(open);
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([
    [{ timeZone: 'Mars/Olympus' }],
    [{ timeZone: 'UTC', opens: '25:00' }],
    [{ timeZone: 'UTC', opens: '17:00', cutOff: '09:00' }],
    [{ timeZone: 'UTC', days: [] }],
    [{ timeZone: 'UTC', closes: '17:00' }],
  ])('is refused as %j', (input) => {
    expect(RailCalendar.safeParse(input).success).toBe(false);
  });
});

describe('wall-clock time', () => {
  const berlin = 'Europe/Berlin';

  test('that the clocks leap over is the first after the leap', () => {
    expect(instantOf({ date: '2030-03-31', minutes: 150 }, berlin)).toEqual(new Date('2030-03-31T01:00Z'));
  });

  test('that the clocks show twice is the first of the two', () => {
    expect(instantOf({ date: '2030-10-27', minutes: 150 }, berlin)).toEqual(new Date('2030-10-27T00:30Z'));
  });

  test('is known in a zone of quarter hours', () => {
    const morning = instantOf({ date: '2030-01-15', minutes: 600 }, 'Asia/Kathmandu');
    expect(morning).toEqual(new Date('2030-01-15T04:15Z'));
  });
});
