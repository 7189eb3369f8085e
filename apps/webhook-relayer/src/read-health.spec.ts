import { percentile } from './read-health.js';

const counts = (classes: Readonly<Record<number, number>>): number[] =>
  Array.from({ length: 10 }, (_, at) => classes[at] ?? 0);

describe('percentile', () => {
  it('is not known without attempts', () => {
    expect(percentile([], 0.95)).toBeNull();
    expect(percentile(counts({}), 0.95)).toBeNull();
  });

  it('lies within the class that the attempt of that rank is in', () => {
    // 50, 100, 250, 500, 1000 …
    expect(percentile(counts({ 0: 100 }), 0.95)).toBe(48);
    expect(percentile(counts({ 0: 95, 4: 5 }), 0.95)).toBe(50);
    expect(percentile(counts({ 0: 90, 4: 10 }), 0.95)).toBe(750);
  });

  it('tells no more than the last bound', () => {
    expect(percentile(counts({ 9: 3 }), 0.95)).toBe(30_000);
  });

  it('never falls when attempts get slower', () => {
    let before = 0;
    for (let slow = 0; slow <= 100; slow += 1) {
      const now = percentile(counts({ 1: 100 - slow, 6: slow }), 0.95) ?? 0;
      expect(now).toBeGreaterThanOrEqual(before);
      before = now;
    }
  });
});
