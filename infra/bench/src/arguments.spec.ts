import { parseArguments, rowsOf } from './arguments.js';

const known = { dispatch: ['a', 'b'], other: ['a'] };
const parse = (...words: string[]) => parseArguments(words, known);

describe('the arguments of a bench', () => {
  it('name a bench and leave the rest to defaults', () => {
    expect(parse('dispatch')).toEqual({
      kind: 'parsed',
      arguments: { bench: 'dispatch', part: undefined, rows: undefined, repeats: 3 },
    });
  });

  it('may name a part, a number of rows and of repeats', () => {
    expect(parse('dispatch', '--part', 'b', '--rows', '10000', '--repeats', '5')).toEqual({
      kind: 'parsed',
      arguments: { bench: 'dispatch', part: 'b', rows: 10_000, repeats: 5 },
    });
  });

  it.each([
    { words: [], problem: 'expected one bench of: dispatch, other; found ""' },
    { words: ['nothing'], problem: 'found "nothing"' },
    { words: ['dispatch', 'other'], problem: 'found "dispatch other"' },
    { words: ['other', '--part', 'b'], problem: '--part: expected one of a; found "b"' },
    { words: ['dispatch', '--rows', 'many'], problem: '--rows: expected a whole number' },
    { words: ['dispatch', '--rows', '0'], problem: '--rows: expected a whole number' },
    { words: ['dispatch', '--repeats', '1.5'], problem: '--repeats: expected a whole number' },
    { words: ['dispatch', '--quickly'], problem: '--quickly' },
  ])('are refused with the reason: $words', ({ words, problem }) => {
    expect(parse(...words)).toEqual({ kind: 'refused', problem: expect.stringContaining(problem) as string });
  });

  it('set the rows of a part that is named, and only lower those of parts that are not', () => {
    const given = { bench: 'dispatch', repeats: 3 };
    expect(rowsOf({ ...given, part: 'c', rows: 9_000 }, 3_000)).toBe(9_000);
    expect(rowsOf({ ...given, part: undefined, rows: 9_000 }, 3_000)).toBe(3_000);
    expect(rowsOf({ ...given, part: undefined, rows: 100 }, 3_000)).toBe(100);
    expect(rowsOf({ ...given, part: undefined, rows: undefined }, 3_000)).toBe(3_000);
  });
});
