import fc from 'fast-check';
import { nextThrottle, planPace, throttledSize, waitBefore } from './pace.js';

const settings = fc.record({
  batchSize: fc.integer({ min: 1, max: 10_000 }),
  intervalMs: fc.integer({ min: 1, max: 300 }).map((seconds) => seconds * 1000),
  maxSubBatch: fc.integer({ min: 1, max: 500 }),
});

describe('planPace', () => {
  it('spreads 500 items over 5 seconds in ten even steps, with room before the next tick', () => {
    expect(planPace({ batchSize: 500, intervalMs: 5_000, maxSubBatch: 50 })).toEqual({
      subBatchSize: 50,
      gapMs: 400,
      windowMs: 4_000,
    });
  });

  it('does not send a small batch in one burst', () => {
    expect(planPace({ batchSize: 40, intervalMs: 5_000, maxSubBatch: 50 })).toEqual({
      subBatchSize: 5,
      gapMs: 500,
      windowMs: 4_000,
    });
  });

  it('gets the whole batch out within the window, never more at once than the sub-batch allows', () => {
    fc.assert(
      fc.property(settings, (given) => {
        const pace = planPace(given);
        expect(pace.subBatchSize).toBeGreaterThanOrEqual(1);
        expect(pace.subBatchSize).toBeLessThanOrEqual(given.maxSubBatch);
        const steps = Math.ceil(given.batchSize / pace.subBatchSize);
        expect((steps - 1) * pace.gapMs).toBeLessThan(pace.windowMs);
        expect(pace.windowMs).toBeLessThan(given.intervalMs);
      }),
    );
  });
});

describe('waitBefore', () => {
  const pace = { subBatchSize: 50, gapMs: 400, windowMs: 4_000 };

  it('holds a sub-batch back until its turn', () => {
    expect(waitBefore(pace, 0, 0)).toBe(0);
    expect(waitBefore(pace, 1, 150)).toBe(250);
    expect(waitBefore(pace, 3, 400)).toBe(800);
  });

  it('lets a late one go at once', () => {
    expect(waitBefore(pace, 1, 900)).toBe(0);
  });

  it('never lets more out by a moment than the rate allows, however long the work itself takes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1_000 }), { maxLength: 10 }), (workMs) => {
        let clock = 0;
        for (const [index, work] of workMs.entries()) {
          clock += waitBefore(pace, index, clock);
          expect(clock).toBeGreaterThanOrEqual(index * pace.gapMs);
          clock += work;
        }
      }),
    );
  });
});

describe('throttling', () => {
  const pace = { subBatchSize: 50, gapMs: 400, windowMs: 4_000 };

  it('halves the rate each time Temporal says no, and comes back in small steps', () => {
    expect(nextThrottle(1, true)).toBe(0.5);
    expect(nextThrottle(0.5, true)).toBe(0.25);
    expect(nextThrottle(0.25, false)).toBeCloseTo(0.3);
    expect(nextThrottle(1, false)).toBe(1);
  });

  it('never stops altogether', () => {
    let throttle = 1;
    for (let round = 0; round < 100; round++) throttle = nextThrottle(throttle, true);
    expect(throttle).toBeGreaterThan(0);
    expect(throttledSize(pace, throttle)).toBe(1);
    expect(throttledSize(pace, 1)).toBe(50);
  });
});
