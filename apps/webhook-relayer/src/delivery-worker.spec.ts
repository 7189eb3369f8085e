import { createLogger } from '@sluice/service-kit';
import { Registry } from 'prom-client';
import { createDeliveryWorker } from './delivery-worker.js';
import { createMetrics } from './metrics.js';
import type { ClaimedDelivery, ClaimRequest, DeliveryQueue } from './ports.js';
import { createWakeup } from './wakeup.js';

function claimNo(id: number): ClaimedDelivery {
  return {
    id: String(id),
    token: 't',
    attemptNo: 1,
    maxAttempts: 5,
    eventId: 'e',
    eventType: 'a',
    receivedAt: new Date(),
    subscriptionId: 's',
    url: 'https://example.com/',
    sealedSecret: Buffer.alloc(1),
    body: Buffer.alloc(1),
  };
}

/** A queue with so many deliveries due, and deliveries that end when the test says so. */
function createHarness(options: { due: number; concurrency: number; drainMs?: number }) {
  let left = options.due;
  const requests: ClaimRequest[] = [];
  const running = new Map<string, { finish: () => void; stop: AbortSignal }>();
  let changed = (): void => undefined;
  const queue: DeliveryQueue = {
    async claim(request) {
      requests.push(request);
      const count = Math.min(left, request.limit);
      left -= count;
      return Array.from({ length: count }, (_, at) => claimNo(left + at));
    },
    settle: () => Promise.resolve('recorded'),
    defer: () => Promise.resolve(),
    sweep: () => Promise.resolve({ expired: 0, cancelled: 0, overdueSeconds: 0 }),
  };
  const worker = createDeliveryWorker({
    queue,
    wakeup: createWakeup(),
    deliver: (claim, stop) =>
      new Promise((resolve) => {
        const finish = (): void => {
          running.delete(claim.id);
          resolve();
        };
        stop.addEventListener('abort', finish, { once: true });
        running.set(claim.id, { finish, stop });
        changed();
      }),
    concurrency: options.concurrency,
    limitPerSubscription: 16,
    leaseMs: 1_000,
    pollIntervalMs: 10_000,
    drainMs: options.drainMs ?? 10_000,
    newToken: () => 't',
    metrics: createMetrics(new Registry()),
    log: createLogger({ service: 'test', level: 'silent' }),
  });
  const begun = (): Promise<void> =>
    new Promise((resolve) => {
      changed = resolve;
    });
  return { worker, running, requests, begun };
}

describe('the delivery worker', () => {
  it('claims no more than it has free places, and claims again as soon as one is free', async () => {
    const { worker, running, requests, begun } = createHarness({ due: 3, concurrency: 2 });
    const stop = new AbortController();
    let next = begun();
    const run = worker.run(stop.signal, () => undefined);
    await next;
    expect([...running.keys()]).toHaveLength(2);
    next = begun();
    running.values().next().value?.finish();
    await next;
    expect(requests.map(({ limit }) => limit)).toEqual([2, 1]);
    for (const { finish } of [...running.values()]) finish();
    stop.abort();
    await run;
  });

  it('stops claiming when it is told to, and lets what is in flight come to its end', async () => {
    const { worker, running, begun } = createHarness({ due: 1, concurrency: 2 });
    const stop = new AbortController();
    const next = begun();
    let ended = false;
    const run = worker
      .run(stop.signal, () => undefined)
      .then(() => {
        ended = true;
      });
    await next;
    stop.abort();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(false);
    const [only] = running.values();
    expect(only?.stop.aborted).toBe(false);
    only?.finish();
    await run;
  });

  it('interrupts what is in flight when the time to drain is over', async () => {
    const { worker, begun } = createHarness({ due: 5, concurrency: 5, drainMs: 20 });
    const stop = new AbortController();
    const next = begun();
    const run = worker.run(stop.signal, () => undefined);
    await next;
    stop.abort();
    await run;
  });
});
