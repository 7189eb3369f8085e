import { createHmac } from 'node:crypto';
import { secretText } from './secret.js';

export interface SignedContent {
  readonly webhookId: string;
  readonly timestampSeconds: number;
  readonly body: Buffer;
  /** The keys themselves, newest first; more than one while a secret is being rotated. */
  readonly keys: readonly Buffer[];
}

/**
 * The signature of Standard Webhooks over the very bytes that are sent: one for each key, so that a receiver may check
 * with either secret while they are rotated.
 */
export function standardSignature({ webhookId: id, timestampSeconds, body, keys }: SignedContent): string {
  const signatures = keys.map((key) => {
    const mac = createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(body);
    return `v1,${mac.digest('base64')}`;
  });
  return signatures.join(' ');
}

/**
 * The older form: the HMAC-SHA256 of the body alone in hex, keyed with the text of the secret as it was shown. Its
 * receivers compare one value, so `X-Signature` stays with the oldest secret until that expires, and
 * `X-Signature-Next` goes before with the newest.
 */
export function legacySignatures(body: Buffer, keys: readonly Buffer[]): Record<string, string> {
  const [newest] = keys;
  const oldest = keys.at(-1);
  if (newest === undefined || oldest === undefined) return {};
  return {
    'x-signature': legacySignature(body, oldest),
    ...(keys.length > 1 ? { 'x-signature-next': legacySignature(body, newest) } : {}),
  };
}

function legacySignature(body: Buffer, key: Buffer): string {
  return createHmac('sha256', secretText(key)).update(body).digest('hex');
}

/**
 * The parts of what is signed are separated by full stops, so the id may contain none, or one signature could be
 * read as another's. Event ids have no percent sign, so two of them never become one.
 */
export function webhookId(eventId: string): string {
  return eventId.replaceAll('.', '%2E');
}
