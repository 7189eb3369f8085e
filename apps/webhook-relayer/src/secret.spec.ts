import { randomBytes } from 'node:crypto';
import { generateSecret, secretKey, secretText } from './secret.js';

const encode = (size: number): string => `whsec_${Buffer.alloc(size, 1).toString('base64')}`;

describe('secrets', () => {
  it('are generated with 32 bytes', () => {
    expect(secretKey(generateSecret(randomBytes))?.length).toBe(32);
  });

  it.each([24, 32, 64])('may have %d bytes, and come back from the key as they were shown', (size) => {
    expect(secretKey(encode(size))).toEqual(Buffer.alloc(size, 1));
    expect(secretText(Buffer.alloc(size, 1))).toBe(encode(size));
  });

  it.each([
    encode(23),
    encode(65),
    '',
    'whsec_',
    Buffer.alloc(32).toString('base64'),
    'whsec_not base64 at all, but long enough!',
    `${encode(32)}A`,
    // The same bytes in another spelling: it would be shown one way and signed with in another.
    encode(32).replace('E=', 'F='),
    encode(32).replace('=', ''),
  ])('refuses %j', (secret) => {
    expect(secretKey(secret)).toBeUndefined();
  });
});
