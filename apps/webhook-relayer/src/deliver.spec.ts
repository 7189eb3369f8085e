import { randomBytes } from 'node:crypto';
import { createLogger } from '@sluice/service-kit';
import { Registry } from 'prom-client';
import { Webhook } from 'standardwebhooks';
import { createLocalLimit } from './concurrency-limit.js';
import { createDeliver } from './deliver.js';
import type { DeliverParts } from './deliver.js';
import { createMetrics } from './metrics.js';
import type { ClaimedDelivery, DeliveryQueue, SendResult, Settlement, WebhookSender } from './ports.js';
import { standardSchedule } from './retry-schedule.js';
import { createSecretBox } from './secret-box.js';

const secretBytes = Buffer.alloc(32, 9);
const secrets = createSecretBox(Buffer.alloc(32, 1), randomBytes);
const ok: SendResult = { kind: 'response', status: 200, body: '', durationMs: 5 };
const never = new AbortController().signal;

const claim: ClaimedDelivery = {
  id: '1',
  token: 'token',
  attemptNo: 1,
  maxAttempts: 5,
  eventId: 'evt-1',
  eventType: 'a.b',
  receivedAt: new Date(),
  subscriptionId: 'sub_1',
  url: 'https://example.com/hooks',
  sealedSecret: secrets.seal(secretBytes, 'sub_1'),
  body: Buffer.from('{"a":1.10}'),
};

/** A queue that keeps what it is told, and refuses the first settlements. */
function createHarness(changes: Partial<DeliverParts> = {}, refusals = 0) {
  const settled: Settlement[] = [];
  const deferred: { reason: string; delayMs: number }[] = [];
  const requests: Parameters<WebhookSender['send']>[0][] = [];
  let left = refusals;
  const queue: DeliveryQueue = {
    claim: () => Promise.resolve([]),
    sweep: () => Promise.resolve({ expired: 0, cancelled: 0, overdueSeconds: 0 }),
    defer: async (_claim, reason, delayMs) => void deferred.push({ reason, delayMs }),
    async settle(_claim, settlement) {
      left -= 1;
      if (left >= 0) throw new Error('the database is away');
      settled.push(settlement);
      return 'recorded';
    },
  };
  const metrics = createMetrics(new Registry());
  const deliver = createDeliver({
    queue,
    limit: createLocalLimit(1),
    sender: {
      async send(request) {
        requests.push(request);
        return ok;
      },
    },
    secrets,
    schedule: standardSchedule,
    clock: { now: () => new Date() },
    random: () => 0.5,
    metrics,
    log: createLogger({ service: 'test', level: 'silent' }),
    ...changes,
  });
  return { deliver, settled, deferred, requests, metrics };
}

describe('deliver', () => {
  it('sends the very bytes, signed, and settles the outcome', async () => {
    const { deliver, settled, requests } = createHarness();
    await deliver(claim, never);
    const [request] = requests;
    expect(request?.body).toBe(claim.body);
    const secret = `whsec_${secretBytes.toString('base64')}`;
    expect(new Webhook(secret).verify(claim.body, request?.headers ?? {})).toEqual({ a: 1.1 });
    expect(settled).toMatchObject([{ outcome: 'delivered' }]);
  });

  it('puts a delivery off when its subscription has no free place, and frees the place after a send', async () => {
    const limit = createLocalLimit(1);
    const { deliver, settled, deferred, requests } = createHarness({ limit });
    const permit = await limit.acquire('sub_1');
    await deliver(claim, never);
    expect(deferred).toEqual([{ reason: 'CONCURRENCY', delayMs: 500 }]);
    expect(requests).toEqual([]);
    await permit?.release();
    await deliver(claim, never);
    await deliver(claim, never);
    expect(settled).toHaveLength(2);
  });

  it('frees the place when a send throws', async () => {
    const limit = createLocalLimit(1);
    const sender: WebhookSender = { send: () => Promise.reject(new Error('broken')) };
    const { deliver } = createHarness({ limit, sender });
    await expect(deliver(claim, never)).rejects.toThrow('broken');
    expect(await limit.acquire('sub_1')).toBeDefined();
  });

  it('uses no attempt when the fault is ours: an unreadable secret, a subscription deleted meanwhile', async () => {
    const { deliver, deferred, requests } = createHarness();
    await deliver({ ...claim, subscriptionId: 'sub_2' }, never);
    await deliver({ ...claim, sealedSecret: undefined }, never);
    expect(deferred.map(({ reason }) => reason)).toEqual(['SECRET_UNREADABLE', 'SUBSCRIPTION_ENDED']);
    expect(requests).toEqual([]);
  });

  it('repeats the write of an outcome and not the request; in the end the lease must help', async () => {
    const brief = createHarness({ random: () => 0 }, 3);
    await brief.deliver(claim, never);
    expect([brief.settled.length, brief.requests.length]).toEqual([1, 1]);
    const long = createHarness({ random: () => 0 }, 4);
    await long.deliver(claim, never);
    expect([long.settled.length, long.requests.length]).toEqual([0, 1]);
    expect((await long.metrics.unrecorded.get()).values[0]?.value).toBe(1);
  });
});
