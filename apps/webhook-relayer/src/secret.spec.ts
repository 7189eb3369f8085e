import { randomBytes } from 'node:crypto';
import { createSecretBox, SecretUnreadableError } from './secret-box.js';
import { generateSecret, secretKey } from './secret.js';

const encode = (size: number): string => `whsec_${Buffer.alloc(size, 1).toString('base64')}`;

describe('secrets', () => {
  it('are generated with 32 bytes', () => {
    expect(secretKey(generateSecret(randomBytes))?.length).toBe(32);
  });

  it.each([24, 32, 64])('may have %d bytes', (size) => {
    expect(secretKey(encode(size))).toEqual(Buffer.alloc(size, 1));
  });

  it.each([
    encode(23),
    encode(65),
    '',
    'whsec_',
    Buffer.alloc(32).toString('base64'),
    'whsec_not base64 at all, but long enough!',
    `${encode(32)}A`,
  ])('refuses %j', (secret) => {
    expect(secretKey(secret)).toBeUndefined();
  });
});

describe('createSecretBox', () => {
  const box = createSecretBox(Buffer.alloc(32, 1), randomBytes);
  const plain = Buffer.from('the key');

  it('opens what it sealed, and never seals the same way twice', () => {
    const sealed = box.seal(plain, 'sub_1');
    expect(box.open(sealed, 'sub_1')).toEqual(plain);
    expect(sealed.includes(plain)).toBe(false);
    expect(box.seal(plain, 'sub_1')).not.toEqual(sealed);
  });

  it('does not open for another owner, with another key, or after a change', () => {
    const sealed = box.seal(plain, 'sub_1');
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
    expect(() => box.open(sealed, 'sub_2')).toThrow(SecretUnreadableError);
    expect(() => createSecretBox(Buffer.alloc(32, 2), randomBytes).open(sealed, 'sub_1')).toThrow(
      SecretUnreadableError,
    );
    expect(() => box.open(changed, 'sub_1')).toThrow(SecretUnreadableError);
    expect(() => box.open(Buffer.alloc(5), 'sub_1')).toThrow(SecretUnreadableError);
    expect(() => box.open(Buffer.alloc(0), 'sub_1')).toThrow(SecretUnreadableError);
  });

  it('takes only a key of 32 bytes', () => {
    expect(() => createSecretBox(Buffer.alloc(16), randomBytes)).toThrow('32 bytes');
  });
});
