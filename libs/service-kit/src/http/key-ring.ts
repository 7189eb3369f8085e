import { createHash, randomBytes as systemRandomBytes, timingSafeEqual } from 'node:crypto';
import { ConfigurationError } from '../config/configuration-error.js';

export interface ApiKeyEntry {
  /** Names the holder in logs and audit trails. Two entries with one id are two valid keys, for rotation. */
  readonly id: string;
  /** Hex digest of the whole key. Keys are 256 random bits, so that a plain digest cannot be guessed back. */
  readonly sha256: string;
  readonly scopes: readonly string[];
  /** Whose data the holder may see and change, in services that keep the data of several apart. */
  readonly tenant?: string | undefined;
}

export interface Caller {
  readonly id: string;
  readonly scopes: ReadonlySet<string>;
  /** Absent when the key belongs to none. */
  readonly tenant?: string;
}

export type Admission =
  | { readonly kind: 'admitted'; readonly caller: Caller }
  | { readonly kind: 'no-key' }
  | { readonly kind: 'wrong-key' }
  | { readonly kind: 'scope-missing'; readonly caller: Caller };

export interface ApiKeyRing {
  /** True when there are no keys and everyone is let in, which only development allows. */
  readonly open: boolean;
  admit(authorization: string | undefined, scope: string): Admission;
}

const PRESENTED = /^Bearer +(slk_([a-z0-9-]{1,64})_[A-Za-z0-9_-]{20,200})$/i;
const KEY_ID = /^[a-z0-9-]{1,64}$/;
const NOBODY = Buffer.alloc(32);

/** Throws in production when there is no key at all. */
export function createKeyRing(keys: readonly ApiKeyEntry[], env: 'development' | 'production'): ApiKeyRing {
  if (keys.length === 0) return openRing(env);
  const byId = new Map<string, { readonly digest: Buffer; readonly caller: Caller }[]>();
  for (const entry of keys) {
    const entries = byId.get(entry.id) ?? [];
    entries.push({ digest: Buffer.from(entry.sha256, 'hex'), caller: callerOf(entry) });
    byId.set(entry.id, entries);
  }
  return {
    open: false,
    admit(authorization, scope) {
      if (authorization === undefined) return { kind: 'no-key' };
      const [, key = '', id = ''] = PRESENTED.exec(authorization) ?? [];
      const digest = createHash('sha256').update(key).digest();
      // An unknown id costs the same digest and comparison as a known one, so that the time tells nothing.
      const candidates = byId.get(id) ?? [{ digest: NOBODY, caller: undefined }];
      const matches = candidates.filter((candidate) => timingSafeEqual(candidate.digest, digest));
      const caller = matches[0]?.caller;
      if (caller === undefined) return { kind: 'wrong-key' };
      return caller.scopes.has(scope) ? { kind: 'admitted', caller } : { kind: 'scope-missing', caller };
    },
  };
}

function callerOf({ id, scopes, tenant }: ApiKeyEntry): Caller {
  return { id, scopes: new Set(scopes), ...(tenant === undefined ? {} : { tenant }) };
}

function openRing(env: 'development' | 'production'): ApiKeyRing {
  if (env === 'production') {
    throw new ConfigurationError([
      {
        variable: 'SLUICE_API_KEYS',
        problem: 'required in production, not set: without keys everyone would be let in',
      },
    ]);
  }
  return {
    open: true,
    admit: (_authorization, scope) => ({
      kind: 'admitted',
      caller: { id: 'anonymous', scopes: new Set([scope]) },
    }),
  };
}

/** A new key for a caller and the entry that admits it; the key itself is shown once and stored nowhere. */
export function createApiKey(
  id: string,
  randomBytes: (size: number) => Buffer = systemRandomBytes,
): { key: string; entry: Omit<ApiKeyEntry, 'scopes' | 'tenant'> } {
  if (!KEY_ID.test(id))
    throw new RangeError(`an id of a key is 1 to 64 of a-z, 0-9, -; found ${JSON.stringify(id)}`);
  const key = `slk_${id}_${randomBytes(32).toString('base64url')}`;
  return { key, entry: { id, sha256: createHash('sha256').update(key).digest('hex') } };
}
