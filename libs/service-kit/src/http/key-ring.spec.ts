import { createApiKey, createKeyRing } from './key-ring.js';

const one = createApiKey('shop');
const two = createApiKey('shop');
const ring = createKeyRing(
  [
    { ...one.entry, scopes: ['a'] },
    { ...two.entry, scopes: ['a', 'b'] },
  ],
  'production',
);

describe('createKeyRing', () => {
  it('admits a key with the scope, and knows whose it is', () => {
    expect(ring.admit(`Bearer ${one.key}`, 'a')).toEqual({
      kind: 'admitted',
      caller: { id: 'shop', scopes: new Set(['a']) },
    });
  });

  it('knows the tenant of a key that has one, and none of the others', () => {
    const tenants = createKeyRing(
      [
        { ...one.entry, scopes: ['a'], tenant: 'acme' },
        { ...two.entry, scopes: ['a'] },
      ],
      'production',
    );
    expect(tenants.admit(`Bearer ${one.key}`, 'a')).toEqual({
      kind: 'admitted',
      caller: { id: 'shop', scopes: new Set(['a']), tenant: 'acme' },
    });
    expect(tenants.admit(`Bearer ${two.key}`, 'a')).toEqual({
      kind: 'admitted',
      caller: { id: 'shop', scopes: new Set(['a']) },
    });
  });

  it('takes the scheme in any case, and the key only as it is', () => {
    expect(ring.admit(`bearer ${one.key}`, 'a').kind).toBe('admitted');
    expect(ring.admit(`Bearer ${one.key.toUpperCase()}`, 'a').kind).toBe('wrong-key');
    expect(ring.admit(`Basic ${one.key}`, 'a').kind).toBe('wrong-key');
    expect(ring.admit(one.key, 'a').kind).toBe('wrong-key');
  });

  it('knows two keys of one caller while they are rotated, each with its own scopes', () => {
    expect(ring.admit(`Bearer ${one.key}`, 'b').kind).toBe('scope-missing');
    expect(ring.admit(`Bearer ${two.key}`, 'b').kind).toBe('admitted');
  });

  it('tells a missing key from a wrong one', () => {
    expect(ring.admit(undefined, 'a')).toEqual({ kind: 'no-key' });
    expect(ring.admit(`Bearer ${createApiKey('shop').key}`, 'a')).toEqual({ kind: 'wrong-key' });
    expect(ring.admit(`Bearer ${createApiKey('nobody').key}`, 'a')).toEqual({ kind: 'wrong-key' });
  });

  it('refuses to be empty in production, and lets everyone in for development', () => {
    expect(() => createKeyRing([], 'production')).toThrow('SLUICE_API_KEYS');
    const open = createKeyRing([], 'development');
    expect(open.open).toBe(true);
    expect(open.admit(undefined, 'anything').kind).toBe('admitted');
  });
});

describe('createApiKey', () => {
  it('makes a key from 32 random bytes and an entry that holds only its digest', () => {
    const { key, entry } = createApiKey('shop', (size) => Buffer.alloc(size, 7));
    expect(key).toBe(`slk_shop_${Buffer.alloc(32, 7).toString('base64url')}`);
    expect(entry).toEqual({ id: 'shop', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
    expect(JSON.stringify(entry)).not.toContain(key);
  });

  it('never makes the same key twice', () => {
    expect(one.key).not.toBe(two.key);
  });

  it('refuses an id that could not be read back from the key', () => {
    expect(() => createApiKey('my_shop')).toThrow('a-z');
  });
});
