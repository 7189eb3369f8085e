import fc from 'fast-check';
import { startDelayMs } from './start-delay.js';

describe('startDelayMs', () => {
  it('is what is left of the time until due', () => {
    expect(startDelayMs({ msUntilDue: 30_000, msSinceClaim: 400, jitterWindowMs: 0, random: 0.9 })).toBe(
      29_600,
    );
  });

  it('is only jitter for an item that is overdue', () => {
    expect(startDelayMs({ msUntilDue: -5_000, msSinceClaim: 10, jitterWindowMs: 0, random: 0.5 })).toBe(0);
    expect(startDelayMs({ msUntilDue: -5_000, msSinceClaim: 10, jitterWindowMs: 3_999, random: 0.5 })).toBe(
      2_000,
    );
  });

  it('is never negative, never ends before the due time, and never exceeds it by more than the jitter', () => {
    fc.assert(
      fc.property(
        fc.record({
          msUntilDue: fc.integer({ min: -1_000_000, max: 86_400_000 }),
          msSinceClaim: fc.double({ min: 0, max: 60_000, noNaN: true }),
          jitterWindowMs: fc.integer({ min: 0, max: 600_000 }),
          random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        }),
        (item) => {
          const delay = startDelayMs(item);
          const left = Math.max(0, item.msUntilDue - item.msSinceClaim);
          expect(Number.isInteger(delay)).toBe(true);
          expect(delay).toBeGreaterThanOrEqual(left);
          expect(delay).toBeLessThan(left + item.jitterWindowMs + 1);
        },
      ),
    );
  });
});
