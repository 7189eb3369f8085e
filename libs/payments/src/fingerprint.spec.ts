import { canonicalJson, fingerprintOf } from './fingerprint.js';

describe('fingerprint', () => {
  test('does not depend on the order of the fields', () => {
    expect(fingerprintOf({ a: 1, b: { c: [1, 2], d: null } })).toBe(
      fingerprintOf({ b: { d: null, c: [1, 2] }, a: 1 }),
    );
  });

  test.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: '1' }],
    [{ a: 1 }, { a: 1, b: null }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: { b: 1 } }, { a: 1, b: 1 }],
  ])('tells %j from %j', (one, other) => {
    expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
  });

  test('is the SHA-256 of JSON with sorted keys and no spaces, so that anyone can compute it', () => {
    expect(canonicalJson({ b: 'ü', a: [true, { d: 1, c: undefined }] })).toBe('{"a":[true,{"d":1}],"b":"ü"}');
    expect(fingerprintOf({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
  });
});
