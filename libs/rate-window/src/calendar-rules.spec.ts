import { calendarRules } from './calendar-rules.js';

describe('a calendar from the outside', () => {
  it('is taken as it is', () => {
    const rules = {
      timeZone: 'Europe/Berlin',
      hours: { monday: [{ from: '09:00', until: '24:00' }], sunday: [] },
      holidays: ['2028-02-29'],
      dailyBlackouts: [{ from: '23:30', until: '00:30' }],
      blackouts: [{ from: '2026-12-31T22:00:00Z', until: '2027-01-01T02:00:00Z' }],
    };
    expect(calendarRules.parse(rules)).toEqual(rules);
  });

  it.each([
    ['a zone that does not exist', { timeZone: 'Europe/Atlantis' }],
    ['no zone', {}],
    ['a field that it does not know', { timeZone: 'UTC', holiday: [] }],
    ['a weekday that it does not know', { timeZone: 'UTC', hours: { Monday: [] } }],
    ['a day that does not exist', { timeZone: 'UTC', holidays: ['2027-02-29'] }],
    ['a time that does not exist', { timeZone: 'UTC', dailyBlackouts: [{ from: '25:00', until: '26:00' }] }],
    ['a span that begins at 24:00', { timeZone: 'UTC', dailyBlackouts: [{ from: '24:00', until: '01:00' }] }],
    [
      'a blackout that ends before it begins',
      { timeZone: 'UTC', blackouts: [{ from: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }] },
    ],
    [
      'a blackout without a zone',
      { timeZone: 'UTC', blackouts: [{ from: '2026-01-01T00:00:00', until: '2026-01-02T00:00:00Z' }] },
    ],
  ])('is refused with %s', (_what, rules) => {
    expect(calendarRules.safeParse(rules).success).toBe(false);
  });
});
