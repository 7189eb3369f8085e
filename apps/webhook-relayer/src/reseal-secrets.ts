import type { SecretBox } from './secret-box.js';

export interface SealedSecret {
  readonly subscriptionId: string;
  readonly version: number;
  readonly sealed: Buffer;
}

export interface SealedSecrets {
  /** In the order of subscription and version; those behind the given one. */
  list(
    after: Pick<SealedSecret, 'subscriptionId' | 'version'>,
    limit: number,
  ): Promise<readonly SealedSecret[]>;
  /** Writes the secret in its new form, if it still is what was read. */
  replace(secret: SealedSecret, sealed: Buffer): Promise<boolean>;
  /** Wipes secrets that have expired; answers how many. */
  wipeExpired(): Promise<number>;
}

export interface Resealed {
  readonly wiped: number;
  readonly read: number;
  readonly resealed: number;
  /** Changed or deleted by somebody else meanwhile. */
  readonly passedOver: number;
}

/**
 * Seals with the current key what was sealed with an earlier one, after which that one can be forgotten. It can be stopped
 * and repeated at any point, and the service goes on meanwhile. Throws when a secret cannot be opened at all.
 */
export async function resealSecrets(store: SealedSecrets, box: SecretBox, pageSize = 500): Promise<Resealed> {
  const wiped = await store.wipeExpired();
  let read = 0;
  let resealed = 0;
  let passedOver = 0;
  let after = { subscriptionId: '', version: 0 };
  for (;;) {
    const page = await store.list(after, pageSize);
    const last = page.at(-1);
    if (last === undefined) return { wiped, read, resealed, passedOver };
    for (const secret of page) {
      read += 1;
      if (!box.isOutdated(secret.sealed)) continue;
      const plain = box.open(secret.sealed, secret.subscriptionId);
      const isReplaced = await store.replace(secret, box.seal(plain, secret.subscriptionId));
      if (isReplaced) resealed += 1;
      else passedOver += 1;
    }
    after = last;
  }
}
