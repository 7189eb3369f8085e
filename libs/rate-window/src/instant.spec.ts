import { parseInstant } from './instant.js';

describe('parseInstant', () => {
  it.each([
    ['2025-06-01T12:00:00Z', '2025-06-01T12:00:00.000Z'],
    ['2025-06-01T12:00Z', '2025-06-01T12:00:00.000Z'],
    ['2025-06-01T12:00:02.371Z', '2025-06-01T12:00:02.371Z'],
    ['2025-06-01T14:00:00+02:00', '2025-06-01T12:00:00.000Z'],
    ['2024-02-29T23:59:59-11:00', '2024-03-01T10:59:59.000Z'],
  ])('reads %s', (text, expected) => {
    expect(parseInstant(text)?.toISOString()).toBe(expected);
  });

  it('rounds finer fractions up, so that no slot lies before the requested time', () => {
    expect(parseInstant('2025-06-01T12:00:02.371000001Z')?.toISOString()).toBe('2025-06-01T12:00:02.372Z');
    expect(parseInstant('2025-06-01T12:00:02.371000000Z')?.toISOString()).toBe('2025-06-01T12:00:02.371Z');
  });

  it.each([
    '2025-06-01',
    '2025-06-01T12:00:00',
    '2025-02-29T12:00:00Z',
    '2025-02-30T12:00:00Z',
    '2025-13-01T12:00:00Z',
    '2025-06-01T24:00:00Z',
    '2025-06-01T12:00:60Z',
    '2025-06-01 12:00:00Z',
    '2025-06-01T12:00:00+25:00',
    'tomorrow',
  ])('refuses %s', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});
