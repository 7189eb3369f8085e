import fc from 'fast-check';
import { formatDuration, parseDuration } from './duration.js';

describe('parseDuration', () => {
  it.each([
    ['PT4S', 4_000],
    ['PT0.5S', 500],
    ['PT0,25S', 250],
    ['PT1.500000S', 1_500],
    ['PT1M30S', 90_000],
    ['PT24H', 86_400_000],
    ['P1D', 86_400_000],
    ['P1DT12H', 129_600_000],
    ['P2W', 1_209_600_000],
    ['PT0S', 0],
  ])('reads %s as %i ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each([
    '',
    'P',
    'PT',
    'P1DT',
    '4S',
    'PT4',
    'PT-4S',
    '-PT4S',
    'P1M',
    'P1Y',
    'PT1S1M',
    'pt4s',
    'PT.5S',
    'PT0.0005S',
    'P1WT1S',
    ' PT4S',
    'PT4S\n',
  ])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('reads back what formatDuration writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 * 86_400_000 }), (milliseconds) => {
        expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
      }),
    );
  });
});

describe('formatDuration', () => {
  it.each([
    [4_000, 'PT4S'],
    [500, 'PT0.5S'],
    [90_000, 'PT1M30S'],
    [129_600_001, 'P1DT12H0.001S'],
    [0, 'PT0S'],
  ])('writes %i ms as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });
});
