import type { SecretBox } from './secret-box.js';

/** Secrets that are kept open at one time. */
const MAX_KEPT = 5_000;

/**
 * Opens a sealed secret once and not again for every delivery, which would cost as much as the signature itself. What is kept
 * is in memory only, as it is anyway while a request is signed.
 */
export function rememberOpened(secrets: SecretBox): SecretBox {
  const opened = new Map<string, Buffer>();
  return {
    ...secrets,
    open(sealed, owner) {
      const key = `${owner} ${sealed.toString('latin1')}`;
      const known = opened.get(key);
      if (known !== undefined) return known;
      const plain = secrets.open(sealed, owner);
      const [oldest] = opened.keys();
      if (opened.size >= MAX_KEPT && oldest !== undefined) opened.delete(oldest);
      opened.set(key, plain);
      return plain;
    },
  };
}
