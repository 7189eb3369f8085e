import fc from 'fast-check';
import { backoffDelay } from './backoff.js';

it('doubles its bound from attempt to attempt up to the cap', () => {
  const bounds = [1, 2, 3, 4, 5, 5_000].map((n) =>
    backoffDelay(n, { initialMs: 100, capMs: 1_000 }, () => 1),
  );
  expect(bounds).toEqual([100, 200, 400, 800, 1_000, 1_000]);
});

it('stays between nothing and the cap', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, random) => {
        const delay = backoffDelay(attempt, { initialMs: 50, capMs: 3_000 }, () => random);
        return delay >= 0 && delay <= 3_000;
      },
    ),
  );
});
