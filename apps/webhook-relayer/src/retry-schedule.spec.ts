import fc from 'fast-check';
import { parseRetryAfter, retryDelayMs, standardSchedule } from './retry-schedule.js';

const delay = (attempt: number, random: number, wishMs?: number): number =>
  retryDelayMs(attempt, standardSchedule, { random: () => random, wishMs });

describe('retryDelayMs', () => {
  it.each([
    [1, 900, 1_100],
    [2, 1_800, 2_200],
    [3, 3_600, 4_400],
    [4, 7_200, 8_800],
    [5, 14_400, 17_600],
  ])('after attempt %d lies between %d and %d ms', (attempt, least, most) => {
    expect(delay(attempt, 0)).toBe(least);
    expect(delay(attempt, 0.5)).toBe((least + most) / 2);
    expect(delay(attempt, 0.999999)).toBeLessThanOrEqual(most);
  });

  it('never leaves the bounds of its step, and never exceeds an hour and its jitter', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2_000 }),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        (attempt, random) => {
          const base = Math.min(3_600_000, 1_000 * 2 ** (attempt - 1));
          const found = delay(attempt, random);
          return found >= Math.floor(base * 0.9) && found <= Math.ceil(base * 1.1);
        },
      ),
    );
  });

  it('is postponed by the wish of the endpoint, up to an hour, and never hurried', () => {
    expect(delay(1, 0.5, 30_000)).toBe(30_000);
    expect(delay(1, 0.5, 10)).toBe(1_000);
    expect(delay(1, 0.5, 86_400_000)).toBe(3_600_000);
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
