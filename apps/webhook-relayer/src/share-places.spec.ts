import fc from 'fast-check';
import { mostPlaces, sharePlaces } from './share-places.js';

const subscription = (subscriptionId: string, due: number, maxConcurrency = 1_000) => ({
  subscriptionId,
  due,
  limits: { maxConcurrency, ratePerSecond: 100 },
});
const counts = (shares: ReturnType<typeof sharePlaces>) =>
  Object.fromEntries(shares.map(({ subscription: { subscriptionId }, count }) => [subscriptionId, count]));

describe('sharePlaces', () => {
  it('gives each subscription its turn, however much waits for another', () => {
    const due = [subscription('dead', 50_000), subscription('a', 2), subscription('b', 1)];
    expect(counts(sharePlaces(due, { free: 8, inFlight: new Map() }))).toEqual({ dead: 4, a: 2, b: 1 });
  });

  it('leaves the second half of the free places to others', () => {
    const due = [subscription('dead', 50_000)];
    expect(counts(sharePlaces(due, { free: 100, inFlight: new Map() }))).toEqual({ dead: 50 });
    expect(counts(sharePlaces(due, { free: 50, inFlight: new Map([['dead', 50]]) }))).toEqual({});
  });

  it('goes by the limit of the subscription and what it has in flight', () => {
    const due = [subscription('a', 10, 4)];
    expect(counts(sharePlaces(due, { free: 100, inFlight: new Map([['a', 3]]) }))).toEqual({ a: 1 });
    expect(counts(sharePlaces(due, { free: 100, inFlight: new Map([['a', 4]]) }))).toEqual({});
  });

  it('never gives more than there is, more than is due, or nothing while a place is free', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 50 }),
        fc.integer({ min: 1, max: 300 }),
        (dues, free) => {
          const due = dues.map((count, at) => subscription(`s${at}`, count));
          const shares = sharePlaces(due, { free, inFlight: new Map() });
          const total = shares.reduce((sum, { count }) => sum + count, 0);
          expect(total).toBeLessThanOrEqual(free);
          expect(total).toBeGreaterThan(0);
          for (const { subscription: one, count } of shares) expect(count).toBeLessThanOrEqual(one.due);
        },
      ),
    );
  });

  it('keeps places for newcomers, however many slow endpoints there are', () => {
    let free = 256;
    const inFlight = new Map<string, number>();
    for (let endpoint = 0; endpoint < 8; endpoint += 1) {
      const [share] = sharePlaces([subscription(`slow${endpoint}`, 50_000)], { free, inFlight });
      inFlight.set(`slow${endpoint}`, share?.count ?? 0);
      free -= share?.count ?? 0;
    }
    expect(free).toBeGreaterThan(0);
    expect(mostPlaces(0, 0)).toBe(1);
  });
});
