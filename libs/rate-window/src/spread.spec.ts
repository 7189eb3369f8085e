import fc from 'fast-check';
import { createSpread, goldenStride, slotOffset } from './spread.js';
import type { Spread } from './spread.js';
import { proportionalCapacity } from './window.js';

const capacities = fc.integer({ min: 1, max: 600 });
const versions = fc.integer({ min: 1, max: 50 });

describe('the spread of slots in a window', () => {
  it('puts every slot into a cell of its own', () => {
    fc.assert(
      fc.property(capacities, versions, (capacity, version) => {
        const spread = createSpread(capacity, version);
        const cells = offsets(spread, capacity * 10, capacity).map((offset) => Math.floor(offset / 10));
        expect(new Set(cells).size).toBe(capacity);
      }),
    );
  });

  it('holds at most the even share plus one slot in any span, over the borders of windows too', () => {
    fc.assert(
      fc.property(capacities, versions, fc.integer({ min: 50, max: 10_000 }), (capacity, version, span) => {
        const windowSize = 10_000;
        const once = offsets(createSpread(capacity, version), windowSize, capacity);
        const times = [...once, ...once.map((offset) => offset + windowSize)];
        // Offsets are whole milliseconds, so a span may reach one millisecond further than the cells do.
        expect(fullestSpan(times, span)).toBeLessThanOrEqual((capacity * (span + 1)) / windowSize + 1);
      }),
    );
  });

  it('holds at most 26 of 100 slots in any second of a 4 s window', () => {
    expect(fullestSpan(offsets(createSpread(100, 1), 4_000, 100), 1_000)).toBeLessThanOrEqual(26);
  });

  it('is even at every fill level', () => {
    for (const capacity of [10, 60, 100, 200, 720, 1_000]) {
      const windowSize = capacity * 100;
      const all = offsets(createSpread(capacity, 1), windowSize, capacity);
      for (let count = 1; count <= capacity; count += 7) {
        expect(fullestSpan(all.slice(0, count), windowSize / 4)).toBeLessThanOrEqual(count / 4 + 3);
      }
    }
  });

  it('stays even when the capacity is raised in mid-window, and puts no two slots on one instant', () => {
    for (const [before, after] of [
      [100, 150],
      [100, 200],
      [100, 1_000],
      [30, 100],
    ] as const) {
      const windowSize = 400_000;
      const times = [
        ...offsets(createSpread(before, 1), windowSize, before),
        ...offsets(createSpread(after, 2), windowSize, after).slice(before),
      ];
      expect(new Set(times).size).toBe(after);
      expect(fullestSpan(times, windowSize / 4)).toBeLessThanOrEqual(after / 4 + 3);
    }
  });

  it('has room after any instant for the share of the time that is left', () => {
    fc.assert(
      fc.property(capacities, versions, fc.integer({ min: 0, max: 3_999 }), (capacity, version, elapsed) => {
        const after = offsets(createSpread(capacity, version), 4_000, capacity).filter(
          (offset) => offset >= elapsed,
        );
        expect(after.length).toBeGreaterThanOrEqual(proportionalCapacity(capacity, 4_000, elapsed));
      }),
    );
  });

  it('starts the first slot of a new config at the start of the window', () => {
    expect(slotOffset(createSpread(100, 1), 4_000, 0)).toBe(0);
  });
});

describe('goldenStride', () => {
  it.each([
    [1, 1],
    [2, 1],
    [100, 61],
    [720, 421],
  ])('steps over %i cells by %i', (capacity, stride) => {
    expect(goldenStride(capacity)).toBe(stride);
  });

  it('is found at once for the largest capacity', () => {
    const stride = goldenStride(1_000_000);
    expect(stride / 1_000_000).toBeCloseTo(0.618, 3);
  });
});

function offsets(spread: Spread, windowSize: number, count: number): number[] {
  return Array.from({ length: count }, (_, slotNo) => slotOffset(spread, windowSize, slotNo));
}

/** The most times that lie in any half-open span of the given length. */
function fullestSpan(times: readonly number[], span: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let first = 0;
  let fullest = 0;
  sorted.forEach((time, last) => {
    while ((sorted[first] ?? time) <= time - span) first += 1;
    fullest = Math.max(fullest, last - first + 1);
  });
  return fullest;
}
