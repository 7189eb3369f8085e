import { z } from 'zod';
import { parseDescribed } from './describe-issue.js';

function errorsOf(schema: z.ZodType, value: unknown): string[] {
  const parsed = parseDescribed(schema, value);
  return 'errors' in parsed ? parsed.errors.map((one) => `${one.path}: ${one.expected}, ${one.found}`) : [];
}

describe('parseDescribed', () => {
  it('returns what the schema made of the value', () => {
    expect(parseDescribed(z.strictObject({ a: z.coerce.number() }), { a: '1' })).toEqual({ data: { a: 1 } });
  });

  it.each([
    ['nothing where text is needed', z.string(), undefined, ': text, nothing'],
    ['the wrong type', z.strictObject({}), 'x', ': an object, "x"'],
    ['too little', z.number().min(1), 0, ': at least 1, 0'],
    ['too little, bound excluded', z.number().gt(1), 1, ': more than 1, 1'],
    ['too many entries', z.array(z.int()).max(1), [1, 2], ': at most 1 entries, a list of 2'],
    ['a fraction', z.int(), 1.5, ': a whole number, 1.5'],
    ['an unknown word', z.enum(['a', 'b']), 'c', ': one of a, b, "c"'],
    ['another literal', z.literal(3), 4, ': one of 3, 4'],
    ['another form', z.iso.datetime(), 'now', ': text in the form datetime, "now"'],
    ['another pattern', z.string().regex(/^a$/), 'b', ': text of the form /^a$/, "b"'],
    ["a message of the author's", z.string().regex(/^a$/, 'the letter a'), 'b', ': the letter a, "b"'],
    ['no multiple', z.number().multipleOf(5), 7, ': a multiple of 5, 7'],
    ['a very long text', z.int(), 'x'.repeat(100), `: a number, "${'x'.repeat(56)}…`],
  ])('describes %s', (...[, schema, value, expected]) => {
    expect(errorsOf(schema, value)).toEqual([expected]);
  });

  it('names the place of a mistake inside of lists and objects', () => {
    const schema = z.strictObject({ list: z.array(z.strictObject({ n: z.int() })) });
    expect(errorsOf(schema, { list: [{ n: 1 }, { n: 'x', m: 2 }] })).toEqual([
      'list.1.n: a number, "x"',
      'list.1.m: no such field, an unknown field',
    ]);
  });

  it('describes a union by the branch that was most likely meant', () => {
    const schema = z.strictObject({
      to: z.union([
        z.strictObject({ iban: z.string() }),
        z.strictObject({ account: z.strictObject({ no: z.int() }) }),
      ]),
    });
    expect(errorsOf(schema, { to: { account: { no: 'x' } } })).toEqual(['to.account.no: a number, "x"']);
    expect(errorsOf(schema, { to: 5 })).toEqual(['to: one of the allowed forms, 5']);
  });

  it('describes a discriminated union by its discriminator, and by its branch', () => {
    const schema = z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('a'), x: z.int() }),
      z.strictObject({ kind: z.literal('b') }),
    ]);
    expect(errorsOf(schema, { kind: 'a', x: 'y' })).toEqual(['x: a number, "y"']);
    expect(errorsOf(schema, { kind: 'c' })).toEqual(['kind: one of a, b, "c"']);
  });
});
