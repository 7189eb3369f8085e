import { createHmac } from 'node:crypto';

export interface SignedContent {
  readonly eventId: string;
  readonly timestampSeconds: number;
  readonly body: Buffer;
  /** The keys themselves, not their `whsec_` form; more than one while a secret is being rotated. */
  readonly keys: readonly Buffer[];
}

/**
 * The headers of Standard Webhooks. The id is the same on every attempt, the time is that of the attempt, and the
 * signature is over the very bytes that are sent.
 */
export function signatureHeaders(content: SignedContent): Record<string, string> {
  const id = webhookId(content.eventId);
  const timestamp = String(content.timestampSeconds);
  const signatures = content.keys.map((key) => {
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(content.body);
    return `v1,${mac.digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/**
 * The parts of what is signed are separated by full stops, so the id may contain none, or one signature could be
 * read as another's. Event ids have no percent sign, so two of them never become one.
 */
export function webhookId(eventId: string): string {
  return eventId.replaceAll('.', '%2E');
}
