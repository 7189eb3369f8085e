import type { SubscriptionStore, SubscriptionView } from './api-ports.js';
import { createChangeSubscription } from './change-subscription.js';

const actor = { tenantId: 'default', by: 'me' };
const view: SubscriptionView = {
  id: 'sub_1',
  url: 'https://example.com/',
  eventTypes: ['a'],
  description: 'before',
  headers: { 'x-a': '1' },
  signatureForm: 'standard',
  retryProfile: 'default',
  rateLimitPerSecond: 5,
  maxConcurrency: null,
  status: 'active',
  statusReason: null,
  statusSince: new Date(0),
  version: 1,
  createdAt: new Date(0),
  updatedAt: new Date(0),
};

/** A store in which somebody else makes a change before each of the first so many writes. */
function createHarness(changesInBetween = 0) {
  let stored: SubscriptionView = view;
  let left = changesInBetween;
  const subscriptions: Pick<SubscriptionStore, 'find' | 'update' | 'changeStatus'> = {
    find: async (_tenant, id) => (id === stored.id ? stored : undefined),
    async update(_actor, { version, settings }) {
      if (left > 0) {
        left -= 1;
        stored = { ...stored, maxConcurrency: (stored.maxConcurrency ?? 0) + 1, version: stored.version + 1 };
      }
      if (version !== stored.version) return undefined;
      stored = { ...stored, ...settings, version: version + 1 };
      return stored;
    },
    async changeStatus(_actor, _id, { from, to, reason }) {
      if (!from.includes(stored.status)) return undefined;
      stored = { ...stored, status: to, statusReason: reason };
      return stored;
    },
  };
  let woken = 0;
  const change = createChangeSubscription({
    subscriptions,
    checkEndpoint: async (url) =>
      url.includes('refused') ? { kind: 'refused', detail: 'no' } : { kind: 'url', url: new URL(url) },
    onDeliveries: () => {
      woken += 1;
    },
  });
  return { change, stored: () => stored, woken: () => woken };
}

describe('update', () => {
  it('changes what is named, null included, and leaves the rest', async () => {
    const { change, stored } = createHarness();
    await change.update(actor, { id: 'sub_1', patch: { rateLimitPerSecond: null, eventTypes: ['b', 'b'] } });
    expect(stored()).toEqual({ ...view, rateLimitPerSecond: null, eventTypes: ['b'], version: 2 });
  });

  it('makes its change on top of those that others made meanwhile', async () => {
    const { change, stored } = createHarness(2);
    await change.update(actor, { id: 'sub_1', patch: { description: 'after' } });
    expect(stored()).toMatchObject({ description: 'after', maxConcurrency: 2, version: 4 });
  });

  it('gives up when it is never first', async () => {
    const { change } = createHarness(100);
    const changed = await change.update(actor, { id: 'sub_1', patch: { description: 'after' } });
    expect(changed.kind).toBe('outdated');
  });

  it('changes nothing when the version is another, the URL is refused or there is no subscription', async () => {
    const { change, stored } = createHarness();
    expect(await change.update(actor, { id: 'sub_1', patch: {}, version: 7 })).toEqual({
      kind: 'outdated',
      version: 1,
    });
    expect(await change.update(actor, { id: 'sub_1', patch: { url: 'https://refused/' } })).toMatchObject({
      kind: 'refused',
      field: 'url',
    });
    expect(await change.update(actor, { id: 'sub_2', patch: {} })).toEqual({ kind: 'not-found' });
    expect(stored()).toBe(view);
  });
});

describe('pause and resume', () => {
  it('may be asked for twice, and resuming wakes the deliveries that waited', async () => {
    const { change, woken } = createHarness();
    for (let count = 0; count < 2; count += 1)
      expect(await change.pause(actor, 'sub_1', undefined)).toMatchObject({
        kind: 'changed',
        subscription: { status: 'paused', statusReason: 'PAUSED' },
      });
    expect(woken()).toBe(0);
    expect(await change.resume(actor, 'sub_1')).toMatchObject({ subscription: { status: 'active' } });
    expect(woken()).toBe(1);
    expect(await change.resume(actor, 'sub_2')).toEqual({ kind: 'not-found' });
  });
});
