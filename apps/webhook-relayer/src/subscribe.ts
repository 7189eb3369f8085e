import type { AddressPolicy } from './address-policy.js';
import { parseEndpointUrl } from './endpoint-url.js';
import type { AddressCheck, SubscriptionStore, SubscriptionView } from './ports.js';
import type { SecretBox } from './secret-box.js';
import { generateSecret, secretKey } from './secret.js';

export interface SubscribeParts {
  readonly subscriptions: SubscriptionStore;
  readonly policy: AddressPolicy;
  readonly addresses: AddressCheck;
  readonly secrets: SecretBox;
  readonly randomBytes: (size: number) => Buffer;
  readonly newId: () => string;
}

export interface SubscribeRequest {
  readonly tenantId: string;
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly secret?: string | undefined;
}

export type Subscribed =
  | { readonly kind: 'subscribed'; readonly subscription: SubscriptionView; readonly secret: string }
  | { readonly kind: 'refused'; readonly field: 'url' | 'secret'; readonly detail: string };

export type Subscribe = (request: SubscribeRequest) => Promise<Subscribed>;

/** Makes a subscription. Its secret leaves the service in this answer and never again. */
export function createSubscribe(parts: SubscribeParts): Subscribe {
  return async (request) => {
    const endpoint = parseEndpointUrl(request.url, parts.policy);
    if (endpoint.kind === 'refused') return { kind: 'refused', field: 'url', detail: endpoint.detail };
    const secret = request.secret ?? generateSecret(parts.randomBytes);
    const key = secretKey(secret);
    if (key === undefined) {
      return {
        kind: 'refused',
        field: 'secret',
        detail: 'it is not whsec_ and the base64 of 24 to 64 bytes',
      };
    }
    if ((await parts.addresses.check(endpoint.url)) === 'refused') {
      return {
        kind: 'refused',
        field: 'url',
        detail: 'its host leads to an address that is private, local or reserved',
      };
    }
    const id = `sub_${parts.newId()}`;
    const url = endpoint.url.href;
    const eventTypes = [...new Set(request.eventTypes)];
    const sealedSecret = parts.secrets.seal(key, id);
    const { createdAt } = await parts.subscriptions.create({
      id,
      tenantId: request.tenantId,
      url,
      eventTypes,
      sealedSecret,
    });
    const subscription = {
      id,
      url,
      eventTypes,
      status: 'active',
      endedReason: null,
      endedAt: null,
      createdAt,
    } as const;
    return { kind: 'subscribed', subscription, secret };
  };
}
