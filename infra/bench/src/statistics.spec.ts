import { median, mostInOneSecond, percentile, rotated } from './statistics.js';

const oneToHundred = Array.from({ length: 100 }, (_, index) => 100 - index);

describe('a percentile', () => {
  it.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
    [0, 1],
  ])('of %d in 1..100 is %d, whatever the order', (share, value) => {
    expect(percentile(oneToHundred, share)).toBe(value);
  });

  it('is always one of the values', () => {
    expect(percentile([3], 0.99)).toBe(3);
    expect(percentile([1, 10], 0.5)).toBe(1);
    expect(percentile([1, 10], 0.51)).toBe(10);
  });

  it('of nothing is an error and not a number', () => {
    expect(() => percentile([], 0.5)).toThrow('no values');
  });
});

describe('a median', () => {
  it.each([
    [[5], 5],
    [[9, 1, 5], 5],
    [[4, 1, 2, 3], 2.5],
  ])('of %j is %d', (values, value) => {
    expect(median(values)).toBe(value);
  });

  it('of nothing is an error and not a number', () => {
    expect(() => median([])).toThrow('no values');
  });
});

describe('the order of a repeat', () => {
  it('begins with another one each time and leaves none out', () => {
    const items = ['a', 'b', 'c'];
    expect([0, 1, 2, 3].map((repeat) => rotated(items, repeat).join(''))).toEqual([
      'abc',
      'bca',
      'cab',
      'abc',
    ]);
    expect(rotated([], 1)).toEqual([]);
  });
});

describe('the busiest second', () => {
  it('is the whole second of the clock with most moments', () => {
    expect(mostInOneSecond([999, 1_000, 1_500, 1_999, 2_000, 2_001])).toBe(3);
    expect(mostInOneSecond([])).toBe(0);
  });
});
