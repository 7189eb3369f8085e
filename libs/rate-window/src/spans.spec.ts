import fc from 'fast-check';
import { clip, lengthOf, subtract, unite } from './spans.js';
import type { Span } from './spans.js';

const lists = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 }))
    .map(([from, length]) => ({ from, until: from + length })),
  { maxLength: 8 },
);
const points = Array.from({ length: 80 }, (_, point) => point);
const holds = (spans: readonly Span[], point: number) =>
  spans.some(({ from, until }) => point >= from && point < until);

describe('spans', () => {
  it('united hold every point that one of them holds, and touch nowhere', () => {
    fc.assert(
      fc.property(lists, (spans) => {
        const united = unite(spans);
        for (const point of points) expect(holds(united, point)).toBe(holds(spans, point));
        united
          .slice(1)
          .forEach((span, index) => expect(span.from).toBeGreaterThan(united[index]?.until ?? 0));
      }),
    );
  });

  it('subtracted hold what the one list holds and the other does not', () => {
    fc.assert(
      fc.property(lists, lists, (spans, others) => {
        const rest = subtract(unite(spans), unite(others));
        for (const point of points) {
          expect(holds(rest, point)).toBe(holds(spans, point) && !holds(others, point));
        }
        expect(lengthOf(rest)).toBe(points.filter((point) => holds(rest, point)).length);
      }),
    );
  });

  it('clipped hold what lies inside the bounds', () => {
    expect(
      clip(
        [
          { from: 0, until: 10 },
          { from: 20, until: 30 },
        ],
        { from: 5, until: 20 },
      ),
    ).toEqual([{ from: 5, until: 10 }]);
  });
});
