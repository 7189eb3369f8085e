import type { Clock } from '@sluice/service-kit';
import type { SecretBox } from './secret-box.js';
import { legacySignatures, standardSignature, webhookId } from './signature.js';

/** The second adds the older `X-Signature` to the headers of Standard Webhooks, so that a receiver can move at any time. */
export const signatureForms = ['standard', 'standard_and_legacy'] as const;
export type SignatureForm = (typeof signatureForms)[number];

export interface UnsignedRequest {
  readonly subscriptionId: string;
  readonly eventId: string;
  readonly body: Buffer;
  readonly form: SignatureForm;
  /** Those that have not expired, newest first. */
  readonly sealedSecrets: readonly Buffer[];
  /** How often somebody asked for this delivery again. */
  readonly replays: number;
}

export type SignRequest = (request: UnsignedRequest) => Record<string, string>;

/**
 * The headers that tell a receiver what it got and from whom. The id is the same on every attempt and replay, the time is
 * that of the attempt. Throws SecretUnreadableError when a secret was sealed with a key that is not known here.
 */
export function createSigner(parts: { readonly secrets: SecretBox; readonly clock: Clock }): SignRequest {
  return (request) => {
    const { subscriptionId, body } = request;
    const keys = request.sealedSecrets.map((sealed) => parts.secrets.open(sealed, subscriptionId));
    const id = webhookId(request.eventId);
    const timestampSeconds = Math.floor(parts.clock.now().getTime() / 1_000);
    return {
      'webhook-id': id,
      'webhook-timestamp': String(timestampSeconds),
      'webhook-signature': standardSignature({ webhookId: id, timestampSeconds, body, keys }),
      ...(request.form === 'standard_and_legacy' ? legacySignatures(body, keys) : {}),
      ...(request.replays > 0 ? { 'webhook-replay': String(request.replays) } : {}),
    };
  };
}
