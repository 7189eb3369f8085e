import { createCipheriv, createDecipheriv } from 'node:crypto';

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The sealed secret cannot be opened: another key, another owner, or damaged data. Check SLUICE_SECRETS_KEY. */
export class SecretUnreadableError extends Error {
  override readonly name = 'SecretUnreadableError';
  readonly code = 'SECRET_UNREADABLE';
}

export interface SecretBox {
  seal(plain: Buffer, owner: string): Buffer;
  open(sealed: Buffer, owner: string): Buffer;
}

/**
 * Encrypts secrets at rest with AES-256-GCM. What is sealed for one owner cannot be opened for another, so that a row
 * copied over another row is found out. Layout: version, nonce, tag, data.
 */
export function createSecretBox(key: Buffer, randomBytes: (size: number) => Buffer): SecretBox {
  if (key.length !== 32) throw new Error(`the key must have 32 bytes, found ${key.length}`);
  return {
    seal(plain, owner) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(owner));
      const data = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), data]);
    },
    open(sealed, owner) {
      const iv = sealed.subarray(1, 1 + IV_BYTES);
      const tag = sealed.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES);
      if (sealed[0] !== VERSION || tag.length !== TAG_BYTES) {
        throw new SecretUnreadableError('not a sealed secret of a known version');
      }
      const options = { authTagLength: TAG_BYTES };
      const decipher = createDecipheriv('aes-256-gcm', key, iv, options)
        .setAAD(Buffer.from(owner))
        .setAuthTag(tag);
      try {
        return Buffer.concat([decipher.update(sealed.subarray(1 + IV_BYTES + TAG_BYTES)), decipher.final()]);
      } catch (cause) {
        throw new SecretUnreadableError('the secret was sealed with another key or for another owner', {
          cause,
        });
      }
    },
  };
}
