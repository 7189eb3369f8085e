import fc from 'fast-check';
import { alignToWindow, proportionalCapacity } from './window.js';

const windowSizes = fc.integer({ min: 1, max: 86_400_000 });
const instants = fc.integer({ min: 0, max: 7_258_118_400_000 });
const instantsInWindows = fc
  .tuple(windowSizes, fc.nat())
  .map(([windowSize, seed]) => ({ windowSize, elapsed: seed % windowSize }));

describe('alignToWindow', () => {
  it('starts the window of an instant in its middle before it', () => {
    const noon = Date.parse('2025-06-01T12:00:00Z');
    expect(alignToWindow(noon + 2_371, 4_000)).toBe(noon);
  });

  it('finds the one aligned window that holds the instant', () => {
    fc.assert(
      fc.property(instants, windowSizes, (instant, windowSize) => {
        const start = alignToWindow(instant, windowSize);
        expect(start % windowSize).toBe(0);
        expect(start).toBeLessThanOrEqual(instant);
        expect(instant).toBeLessThan(start + windowSize);
      }),
    );
  });
});

describe('proportionalCapacity', () => {
  it.each([
    { capacity: 100, windowSize: 4_000, elapsed: 0, left: 100 },
    { capacity: 100, windowSize: 4_000, elapsed: 2_000, left: 50 },
    { capacity: 100, windowSize: 4_000, elapsed: 1, left: 99 },
    { capacity: 100, windowSize: 4_000, elapsed: 3_999, left: 0 },
    { capacity: 1, windowSize: 4_000, elapsed: 1, left: 0 },
    { capacity: 3, windowSize: 1_000, elapsed: 500, left: 1 },
  ])(
    'of $capacity in $windowSize ms leaves $left after $elapsed ms',
    ({ capacity, windowSize, elapsed, left }) => {
      expect(proportionalCapacity(capacity, windowSize, elapsed)).toBe(left);
    },
  );

  it('never leaves more than the share of the time left, and never a whole slot less', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        instantsInWindows,
        (capacity, { windowSize, elapsed }) => {
          const left = BigInt(proportionalCapacity(capacity, windowSize, elapsed)) * BigInt(windowSize);
          const share = BigInt(capacity) * BigInt(windowSize - elapsed);
          expect(left <= share && share - left < BigInt(windowSize)).toBe(true);
        },
      ),
    );
  });
});
