import type { Actor, SubscriptionSettings, SubscriptionStore, SubscriptionView } from './api-ports.js';
import type { CheckEndpoint } from './check-endpoint.js';

export interface ChangeParts {
  readonly subscriptions: Pick<SubscriptionStore, 'find' | 'update' | 'changeStatus'>;
  readonly checkEndpoint: CheckEndpoint;
  /** Called when deliveries wait that could not be claimed before. */
  readonly onDeliveries: () => void;
}

export type SubscriptionPatch = {
  readonly [K in keyof SubscriptionSettings]?: SubscriptionSettings[K] | undefined;
};

export interface UpdateRequest {
  readonly id: string;
  readonly patch: SubscriptionPatch;
  /** When given, the change is made to this version or not at all. */
  readonly version?: number | undefined;
}

export type Changed =
  | { readonly kind: 'changed'; readonly subscription: SubscriptionView }
  | { readonly kind: 'not-found' }
  /** Somebody else changed it first. */
  | { readonly kind: 'outdated'; readonly version: number }
  | { readonly kind: 'refused'; readonly field: 'url'; readonly detail: string }
  /** Its status does not allow it. */
  | { readonly kind: 'wrong-status'; readonly subscription: SubscriptionView };

export interface ChangeSubscription {
  update(actor: Actor, request: UpdateRequest): Promise<Changed>;
  pause(actor: Actor, id: string, reason: string | undefined): Promise<Changed>;
  /** Also brings back one that was disabled. */
  resume(actor: Actor, id: string): Promise<Changed>;
}

const ROUNDS = 5;

export function createChangeSubscription(parts: ChangeParts): ChangeSubscription {
  const { subscriptions } = parts;

  const update = async (actor: Actor, request: UpdateRequest): Promise<Changed> => {
    const { id, version } = request;
    const url = await checkedUrl(parts.checkEndpoint, request.patch.url);
    if (url.kind === 'refused') return url;
    let seen = 0;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const found = await subscriptions.find(actor.tenantId, id);
      if (found === undefined) return { kind: 'not-found' };
      seen = found.version;
      if (version !== undefined && version !== seen) return { kind: 'outdated', version: seen };
      const settings = merge(found, { ...request.patch, url: url.href });
      const subscription = await subscriptions.update(actor, { id, version: seen, settings });
      if (subscription !== undefined) return { kind: 'changed', subscription };
    }
    return { kind: 'outdated', version: seen };
  };

  const changeStatus = async (
    actor: Actor,
    id: string,
    change: Parameters<SubscriptionStore['changeStatus']>[2],
  ): Promise<Changed> => {
    const changed = await subscriptions.changeStatus(actor, id, change);
    if (changed !== undefined) return { kind: 'changed', subscription: changed };
    const subscription = await subscriptions.find(actor.tenantId, id);
    if (subscription === undefined) return { kind: 'not-found' };
    // Asked for twice is as good as once.
    return { kind: subscription.status === change.to ? 'changed' : 'wrong-status', subscription };
  };

  return {
    update,
    pause: (actor, id, reason) =>
      changeStatus(actor, id, { from: ['active'], to: 'paused', reason: reason ?? 'PAUSED' }),
    async resume(actor, id) {
      const resumed = await changeStatus(actor, id, {
        from: ['paused', 'disabled'],
        to: 'active',
        reason: null,
      });
      parts.onDeliveries();
      return resumed;
    },
  };
}

async function checkedUrl(
  check: CheckEndpoint,
  url: string | undefined,
): Promise<
  | { readonly kind: 'url'; readonly href: string | undefined }
  | { readonly kind: 'refused'; readonly field: 'url'; readonly detail: string }
> {
  if (url === undefined) return { kind: 'url', href: undefined };
  const endpoint = await check(url);
  if (endpoint.kind === 'refused') return { ...endpoint, field: 'url' };
  return { kind: 'url', href: endpoint.url.href };
}

/** What the patch names replaces what was there, null included; the rest stays. */
function merge(found: SubscriptionSettings, patch: SubscriptionPatch): SubscriptionSettings {
  const either = <K extends keyof SubscriptionSettings>(key: K): SubscriptionSettings[K] => {
    const wanted: SubscriptionSettings[K] | undefined = patch[key];
    return wanted === undefined ? found[key] : wanted;
  };
  return {
    url: either('url'),
    eventTypes: [...new Set(either('eventTypes'))],
    description: either('description'),
    headers: either('headers'),
    signatureForm: either('signatureForm'),
    retryProfile: either('retryProfile'),
    rateLimitPerSecond: either('rateLimitPerSecond'),
    maxConcurrency: either('maxConcurrency'),
  };
}
