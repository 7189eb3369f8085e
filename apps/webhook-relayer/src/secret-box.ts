import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';

/** Without the id of the key; still read, no longer written. */
const VERSION_WITHOUT_ID = 1;
const VERSION = 2;
const KEY_ID_BYTES = 8;
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
  /** True when it was sealed with a key that is no longer the current one, and should be sealed anew. */
  isOutdated(sealed: Buffer): boolean;
}

export interface SecretKeys {
  /** Seals and opens. */
  readonly current: Buffer;
  /** Only open, until everything is sealed with the current one. */
  readonly previous?: readonly Buffer[];
}

interface NamedKey {
  readonly id: Buffer;
  readonly key: Buffer;
}

/**
 * Encrypts secrets at rest with AES-256-GCM. What is sealed for one owner cannot be opened for another, so that a row
 * copied over another row is found out. Layout: version, key id, nonce, tag, data. The id of a key is the beginning of its
 * digest, so that keys need no names and the right one is found without trying.
 */
export function createSecretBox(keys: SecretKeys, randomBytes: (size: number) => Buffer): SecretBox {
  const current = named(keys.current);
  const known = [current, ...(keys.previous ?? []).map(named)];
  return {
    seal(plain, owner) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current.key, iv).setAAD(Buffer.from(owner));
      const data = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), current.id, iv, cipher.getAuthTag(), data]);
    },
    open: (sealed, owner) => decrypt(readEnvelope(sealed), known, owner),
    isOutdated: (sealed) => readEnvelope(sealed).keyId?.equals(current.id) !== true,
  };
}

function named(key: Buffer): NamedKey {
  if (key.length !== 32) throw new Error(`the key must have 32 bytes, found ${key.length}`);
  return { key, id: createHash('sha256').update(key).digest().subarray(0, KEY_ID_BYTES) };
}

interface Envelope {
  /** Absent in the oldest layout. */
  readonly keyId: Buffer | undefined;
  readonly iv: Buffer;
  readonly tag: Buffer;
  readonly data: Buffer;
}

function readEnvelope(sealed: Buffer): Envelope {
  const idBytes = sealed[0] === VERSION ? KEY_ID_BYTES : 0;
  const isKnown = sealed[0] === VERSION || sealed[0] === VERSION_WITHOUT_ID;
  const ivAt = 1 + idBytes;
  const tagAt = ivAt + IV_BYTES;
  const dataAt = tagAt + TAG_BYTES;
  if (!isKnown || sealed.length < dataAt) {
    throw new SecretUnreadableError('not a sealed secret of a known version');
  }
  return {
    keyId: idBytes === 0 ? undefined : sealed.subarray(1, ivAt),
    iv: sealed.subarray(ivAt, tagAt),
    tag: sealed.subarray(tagAt, dataAt),
    data: sealed.subarray(dataAt),
  };
}

function decrypt(envelope: Envelope, known: readonly NamedKey[], owner: string): Buffer {
  const { keyId } = envelope;
  const candidates = keyId === undefined ? known : known.filter(({ id }) => id.equals(keyId));
  for (const { key } of candidates) {
    const opened = tryKey(envelope, key, owner);
    if (opened !== undefined) return opened;
  }
  throw new SecretUnreadableError(
    candidates.length === 0
      ? `the secret was sealed with the unknown key ${keyId?.toString('hex')}`
      : 'the secret is damaged, or was sealed for another owner',
  );
}

function tryKey({ iv, tag, data }: Envelope, key: Buffer, owner: string): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(owner))
    .setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(data), decipher.final()]);
  } catch {
    return undefined;
  }
}
