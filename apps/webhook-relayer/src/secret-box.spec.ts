import { createCipheriv, randomBytes } from 'node:crypto';
import { createSecretBox, SecretUnreadableError } from './secret-box.js';

const oldKey = Buffer.alloc(32, 1);
const newKey = Buffer.alloc(32, 2);
const plain = Buffer.from('the key');
const box = createSecretBox({ current: oldKey }, randomBytes);

describe('createSecretBox', () => {
  it('opens what it sealed, and never seals the same way twice', () => {
    const sealed = box.seal(plain, 'sub_1');
    expect(box.open(sealed, 'sub_1')).toEqual(plain);
    expect(sealed.includes(plain)).toBe(false);
    expect(box.seal(plain, 'sub_1')).not.toEqual(sealed);
  });

  it('does not open for another owner, with another key, or after a change of any byte', () => {
    const sealed = box.seal(plain, 'sub_1');
    expect(() => box.open(sealed, 'sub_2')).toThrow(SecretUnreadableError);
    expect(() => createSecretBox({ current: newKey }, randomBytes).open(sealed, 'sub_1')).toThrow(
      'unknown key',
    );
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => box.open(changed, 'sub_1')).toThrow(SecretUnreadableError);
    }
    for (const size of [0, 1, 5, 36])
      expect(() => box.open(Buffer.alloc(size, 2), 'sub_1')).toThrow(SecretUnreadableError);
  });

  it('opens with a previous key what it will seal with the current one, and tells them apart', () => {
    const rotated = createSecretBox({ current: newKey, previous: [oldKey] }, randomBytes);
    const before = box.seal(plain, 'sub_1');
    expect(rotated.open(before, 'sub_1')).toEqual(plain);
    expect(rotated.isOutdated(before)).toBe(true);
    const after = rotated.seal(plain, 'sub_1');
    expect(rotated.isOutdated(after)).toBe(false);
    expect(createSecretBox({ current: newKey }, randomBytes).open(after, 'sub_1')).toEqual(plain);
    expect(() => box.open(after, 'sub_1')).toThrow('unknown key');
  });

  it('still opens what was sealed before keys had ids, whichever key it was, and calls it outdated', () => {
    const iv = Buffer.alloc(12, 9);
    const cipher = createCipheriv('aes-256-gcm', oldKey, iv).setAAD(Buffer.from('sub_1'));
    const data = Buffer.concat([cipher.update(plain), cipher.final()]);
    const first = Buffer.concat([Buffer.of(1), iv, cipher.getAuthTag(), data]);
    const rotated = createSecretBox({ current: newKey, previous: [oldKey] }, randomBytes);
    expect(rotated.open(first, 'sub_1')).toEqual(plain);
    expect(rotated.isOutdated(first)).toBe(true);
    expect(() => rotated.open(first, 'sub_2')).toThrow(SecretUnreadableError);
  });

  it('takes only keys of 32 bytes', () => {
    expect(() => createSecretBox({ current: Buffer.alloc(16) }, randomBytes)).toThrow('32 bytes');
    const previous = [Buffer.alloc(31)];
    expect(() => createSecretBox({ current: oldKey, previous }, randomBytes)).toThrow('32 bytes');
  });
});
