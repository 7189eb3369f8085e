import fc from 'fast-check';
import type { RetryProfile } from './delivery-ports.js';
import { attemptsOf, parseRetryAfter, retryDelayMs, retrySchedules } from './retry-schedule.js';

const delay = (attempt: number, random: number, wishMs?: number): number =>
  retryDelayMs(attempt, retrySchedules.default, { random: () => random, wishMs });

describe('the default profile', () => {
  it.each([
    [1, 900, 1_100],
    [2, 1_800, 2_200],
    [3, 3_600, 4_400],
    [4, 7_200, 8_800],
  ])('rests after attempt %d between %d and %d ms', (attempt, least, most) => {
    expect(delay(attempt, 0)).toBe(least);
    expect(delay(attempt, 0.5)).toBe((least + most) / 2);
    expect(delay(attempt, 0.999999)).toBeLessThanOrEqual(most);
  });

  it('makes five attempts', () => {
    expect(attemptsOf(retrySchedules.default)).toBe(5);
  });

  it('is postponed by the wish of the endpoint, up to an hour, and never hurried', () => {
    expect(delay(1, 0.5, 30_000)).toBe(30_000);
    expect(delay(1, 0.5, 10)).toBe(1_000);
    expect(delay(1, 0.5, 86_400_000)).toBe(3_600_000);
  });
});

describe('the long profile', () => {
  it('makes eleven attempts over a little more than three days', () => {
    const total = retrySchedules.long.restsMs.reduce((sum, rest) => sum + rest, 0);
    expect(attemptsOf(retrySchedules.long)).toBe(11);
    expect(total / 86_400_000).toBeCloseTo(3.07, 2);
  });
});

describe('guarantee 15: the retry policy, on a clock of its own', () => {
  const profiles = fc.constantFrom<RetryProfile>('default', 'long');
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('keeps every rest inside its window: jitter moves it by a tenth at most, a wish only later and only to its bound', () => {
    fc.assert(
      fc.property(
        fc.record({
          profile: profiles,
          attempt: fc.integer({ min: 1, max: 40 }),
          random: chance,
          wish: fc.option(fc.integer({ min: 0, max: 10 ** 9 })),
        }),
        ({ profile, attempt, random, wish }) => {
          const schedule = retrySchedules[profile];
          const rest = schedule.restsMs[attempt - 1] ?? schedule.restsMs.at(-1) ?? 0;
          const found = retryDelayMs(attempt, schedule, { random: () => random, wishMs: wish ?? undefined });
          const wished = Math.min(wish ?? 0, schedule.longestWishMs);
          expect(found).toBeGreaterThanOrEqual(Math.max(Math.floor(rest * 0.9), wished));
          expect(found).toBeLessThanOrEqual(Math.max(Math.ceil(rest * 1.1), wished));
        },
      ),
    );
  });

  it('grows with every attempt, whatever the jitter', () => {
    fc.assert(
      fc.property(profiles, chance, chance, (profile, first, second) => {
        const schedule = retrySchedules[profile];
        for (let attempt = 1; attempt < schedule.restsMs.length; attempt += 1) {
          const rest = retryDelayMs(attempt, schedule, { random: () => first });
          const next = retryDelayMs(attempt + 1, schedule, { random: () => second });
          expect(next).toBeGreaterThan(rest);
        }
      }),
    );
  });

  it('ends: a delivery that only fails has made its last attempt within the horizon of its profile', () => {
    fc.assert(
      fc.property(profiles, fc.array(chance, { minLength: 11, maxLength: 11 }), (profile, chances) => {
        const schedule = retrySchedules[profile];
        let clock = 0;
        for (let attempt = 1; attempt < attemptsOf(schedule); attempt += 1) {
          clock += retryDelayMs(attempt, schedule, { random: () => chances[attempt] ?? 0 });
        }
        const horizon = schedule.restsMs.reduce((sum, rest) => sum + rest, 0);
        expect(clock).toBeLessThanOrEqual(Math.ceil(horizon * 1.1) + attemptsOf(schedule));
      }),
    );
  });
});

describe('parseRetryAfter', () => {
  const now = new Date('2025-06-01T16:00:00Z');

  it.each([
    ['120', 120_000],
    ['0', 0],
    [' 5 ', 5_000],
    ['Sun, 01 Jun 2025 16:00:30 GMT', 30_000],
    ['Sun, 01 Jun 2025 15:00:00 GMT', 0],
  ])('reads %j as %d ms', (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });

  it.each([undefined, '', 'soon', '-5', '1.5', '2025-06-01', '99999999999'])(
    'reads %j as absent',
    (header) => {
      expect(parseRetryAfter(header, now)).toBeUndefined();
    },
  );
});
