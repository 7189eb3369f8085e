import type { Actor, SecretVersion, SubscriptionStore } from './api-ports.js';
import type { SecretBox } from './secret-box.js';
import { chooseSecret } from './subscribe.js';
import type { Refused } from './subscribe.js';

export interface RotateParts {
  readonly subscriptions: Pick<SubscriptionStore, 'rotateSecret'>;
  readonly secrets: SecretBox;
  readonly randomBytes: (size: number) => Buffer;
}

export interface RotateRequest {
  readonly id: string;
  /** How long the secret so far stays valid beside the new one; 0 ends it at once, as after a leak. */
  readonly overlapSeconds: number;
  readonly secret?: string | undefined;
}

export type Rotated =
  | { readonly kind: 'rotated'; readonly secret: string; readonly versions: readonly SecretVersion[] }
  | { readonly kind: 'not-found' }
  | Refused;

export type RotateSecret = (actor: Actor, request: RotateRequest) => Promise<Rotated>;

/** Gives a subscription a new secret, which leaves the service in this answer and never again. */
export function createRotateSecret({ subscriptions, secrets, randomBytes }: RotateParts): RotateSecret {
  return async (actor, { id, overlapSeconds, secret: brought }) => {
    const secret = chooseSecret(brought, randomBytes);
    if (secret.kind === 'refused') return secret;
    const sealedSecret = secrets.seal(secret.key, id);
    const versions = await subscriptions.rotateSecret(actor, { id, sealedSecret, overlapSeconds });
    if (versions === undefined) return { kind: 'not-found' };
    return { kind: 'rotated', secret: secret.text, versions };
  };
}
