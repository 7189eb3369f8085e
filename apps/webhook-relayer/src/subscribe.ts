import type { Actor, SubscriptionSettings, SubscriptionStore, SubscriptionView } from './api-ports.js';
import type { CheckEndpoint } from './check-endpoint.js';
import type { SecretBox } from './secret-box.js';
import { generateSecret, secretKey } from './secret.js';

export interface SubscribeParts {
  readonly subscriptions: Pick<SubscriptionStore, 'create'>;
  readonly checkEndpoint: CheckEndpoint;
  readonly secrets: SecretBox;
  readonly randomBytes: (size: number) => Buffer;
  readonly newId: () => string;
}

export type SubscribeRequest = SubscriptionSettings & { readonly secret?: string | undefined };

export type Refused = {
  readonly kind: 'refused';
  readonly field: 'url' | 'secret';
  readonly detail: string;
};

export type Subscribed =
  { readonly kind: 'subscribed'; readonly subscription: SubscriptionView; readonly secret: string } | Refused;

export type Subscribe = (actor: Actor, request: SubscribeRequest) => Promise<Subscribed>;

/** Makes a subscription. Its secret leaves the service in this answer and never again. */
export function createSubscribe(parts: SubscribeParts): Subscribe {
  return async (actor, { secret: brought, ...settings }) => {
    const secret = chooseSecret(brought, parts.randomBytes);
    if (secret.kind === 'refused') return secret;
    const endpoint = await parts.checkEndpoint(settings.url);
    if (endpoint.kind === 'refused') return { ...endpoint, field: 'url' };
    const id = `sub_${parts.newId()}`;
    const subscription = await parts.subscriptions.create(actor, {
      ...settings,
      id,
      url: endpoint.url.href,
      eventTypes: [...new Set(settings.eventTypes)],
      sealedSecret: parts.secrets.seal(secret.key, id),
    });
    return { kind: 'subscribed', subscription, secret: secret.text };
  };
}

/** The secret that a customer brought along, or a new one. */
export function chooseSecret(
  brought: string | undefined,
  randomBytes: (size: number) => Buffer,
): { readonly kind: 'secret'; readonly text: string; readonly key: Buffer } | Refused {
  const text = brought ?? generateSecret(randomBytes);
  const key = secretKey(text);
  if (key !== undefined) return { kind: 'secret', text, key };
  const detail = 'it is not whsec_ and the base64 of 24 to 64 bytes';
  return { kind: 'refused', field: 'secret', detail };
}
