/// <reference types="jest" />
import type { CalendarRules } from '../calendar-rules.js';
import { DAY, HOUR, activate, assignAll, burst, fill, newConfig } from './harness.js';
import type { CurrentHarness } from './harness.js';

const weekday = [{ from: '09:00', until: '17:00' }];
const office: CalendarRules = {
  timeZone: 'America/New_York',
  hours: { monday: weekday, tuesday: weekday, wednesday: weekday, thursday: weekday, friday: weekday },
};
const at = (text: string): number => Date.parse(text);

export function describeCalendars(harness: CurrentHarness): void {
  describe('calendars', () => {
    it('moves what is asked for in closed time to the next opening', async () => {
      const store = harness().open();
      const config = await newConfig(store, { calendar: office, maxDelayMs: 7 * DAY });
      // A Saturday; New York is four hours behind UTC in June.
      const slots = await assignAll(store, config, burst(12, at('2035-06-02T15:00:00Z')));
      expect(fill(slots)).toEqual([
        [at('2035-06-04T13:00:00Z'), 10],
        [at('2035-06-04T13:00:04Z'), 2],
      ]);
    });

    it('goes on in the morning where the evening is full, and finds it again with one look', async () => {
      const store = harness().open();
      const config = await newConfig(store, { calendar: office, maxDelayMs: 7 * DAY });
      const evening = at('2035-06-01T20:59:52Z');
      expect(fill(await assignAll(store, config, burst(25, evening)))).toEqual([
        [evening, 10],
        [evening + 4_000, 10],
        [at('2035-06-04T13:00:00Z'), 5],
      ]);
      await assignAll(store, config, burst(6, evening, 'more'));
      const outcome = await store.assign(config, burst(1, evening, 'next'));
      expect(outcome).toMatchObject({
        answers: [{ kind: 'assigned', slot: { windowStart: new Date(at('2035-06-04T13:00:04Z')) } }],
      });
    });

    it('gives a window that is open in part the share of its open time, inside it', async () => {
      const store = harness().open();
      const calendar = {
        timeZone: 'UTC',
        blackouts: [{ from: '2035-06-01T12:10:00Z', until: '2035-06-01T12:40:00Z' }],
      };
      const config = await newConfig(store, {
        calendar,
        maxPerWindow: 60,
        windowSizeMs: HOUR,
        maxDelayMs: DAY,
      });
      const slots = await assignAll(store, config, burst(40, at('2035-06-01T12:00:00Z')));
      expect(fill(slots)).toEqual([
        [at('2035-06-01T12:00:00Z'), 30],
        [at('2035-06-01T13:00:00Z'), 10],
      ]);
      const dark = slots.filter(
        ({ scheduledTime }) =>
          scheduledTime.getTime() >= at('2035-06-01T12:10:00Z') &&
          scheduledTime.getTime() < at('2035-06-01T12:40:00Z'),
      );
      expect(dark).toEqual([]);
    });

    it('tells a calendar that is closed up to the horizon from windows that are full', async () => {
      const store = harness().open();
      const friday = at('2035-06-01T20:59:56Z');
      const config = await newConfig(store, { calendar: office, maxDelayMs: DAY });
      expect(await store.assign(config, burst(11, friday))).toMatchObject({
        answers: { 10: { kind: 'exhausted', horizon: new Date(friday + DAY) } },
      });
      expect(await store.assign(config, burst(1, friday + HOUR, 'night'))).toMatchObject({
        answers: [{ kind: 'closed', eventId: 'night-0', horizon: new Date(friday + HOUR + DAY) }],
      });
    });

    it('places events that are years apart in one group', async () => {
      const store = harness().open();
      const config = await newConfig(store, { calendar: office, maxDelayMs: 3 * DAY, maxPerWindow: 1 });
      const [first, second] = ['2035-06-01T20:59:56Z', '2037-06-01T20:59:56Z'].map(at);
      const slots = await assignAll(store, config, [
        ...burst(2, first, 'first'),
        ...burst(2, second, 'second'),
        ...burst(1, at('2036-06-02T15:00:00Z'), 'between'),
      ]);
      expect(fill(slots).map(([start]) => new Date(start).toISOString())).toEqual([
        '2035-06-01T20:59:56.000Z',
        '2035-06-04T13:00:00.000Z',
        '2036-06-02T15:00:00.000Z',
        '2037-06-01T20:59:56.000Z',
        '2037-06-02T13:00:00.000Z',
      ]);
      // What lies between was never asked for and is not taken for full.
      expect(fill(await assignAll(store, config, burst(1, at('2036-01-07T15:00:00Z'), 'later')))).toEqual([
        [at('2036-01-07T15:00:00Z'), 1],
      ]);
    });

    it('opens what another calendar had closed, and closes what it had opened', async () => {
      const store = harness().open();
      const config = await newConfig(store, { calendar: office, maxDelayMs: 7 * DAY });
      const evening = at('2035-06-01T20:59:56Z');
      await assignAll(store, config, burst(20, evening));
      const always = await activate(store, { ...config, calendar: null });
      expect(fill(await assignAll(store, always, burst(1, evening, 'at-night')))).toEqual([
        [evening + 4_000, 1],
      ]);
      const holiday = await activate(store, { ...config, calendar: { ...office, holidays: ['2035-06-04'] } });
      expect(fill(await assignAll(store, holiday, burst(1, evening, 'day-after')))).toEqual([
        [at('2035-06-05T13:00:00Z'), 1],
      ]);
    });

    it('spreads by chance inside open time only', async () => {
      const store = harness().open();
      const calendar = { timeZone: 'UTC', dailyBlackouts: [{ from: '00:30', until: '23:30' }] };
      const config = await newConfig(store, {
        calendar,
        spread: 'random',
        windowSizeMs: DAY,
        maxPerWindow: 240,
        maxDelayMs: 2 * DAY,
      });
      const slots = await assignAll(store, config, burst(15, at('2035-06-02T00:00:00Z')));
      expect(fill(slots)).toEqual([
        [at('2035-06-02T00:00:00Z'), 10],
        [at('2035-06-03T00:00:00Z'), 5],
      ]);
      for (const { scheduledTime } of slots) {
        const minute = scheduledTime.getUTCHours() * 60 + scheduledTime.getUTCMinutes();
        expect(minute < 30 || minute >= 23 * 60 + 30).toBe(true);
      }
    });

    it('refuses a config under which no event could ever get a slot', async () => {
      const store = harness().open({ now: () => new Date(at('2035-06-02T15:00:00Z')) });
      const draft = { configName: 'shut', maxPerWindow: 10, windowSizeMs: 4_000, calendar: office };
      expect(await store.activate({ ...draft, maxDelayMs: DAY }, 'x')).toEqual({
        kind: 'never-open',
        horizon: new Date(at('2035-06-03T15:00:00Z')),
      });
    });
  });
}
