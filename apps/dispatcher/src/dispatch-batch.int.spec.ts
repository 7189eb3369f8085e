import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';
import { createPgQueue } from '@sluice/queue-core';
import type { DispatchConfig, DispatchQueue, QueueStatus } from '@sluice/queue-core';
import { connectPg } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';
import { createLogger } from '@sluice/service-kit';
import { createDispatchBatch } from './dispatch-batch.js';
import { createMetrics } from './metrics.js';
import type { StartOutcome, StartRequest } from './ports.js';

// The queue is real; Temporal is replaced by a script, since it cannot be told to throttle or to fall silent.

const settings: DispatchConfig = {
  enabled: true,
  batchSize: 40,
  dispatchIntervalSecs: 5,
  jitterWindowMs: 0,
  preStartBufferMins: 1,
  maxDispatchRetries: 3,
  staleClaimThresholdMins: 2,
  execWorkflowType: 'SampleWorkflow',
  execTaskQueue: 'sample',
};

describe('a dispatch cycle', () => {
  let pool: Pool;
  let queue: DispatchQueue;

  beforeAll(() => {
    const log = createLogger({ service: 'test', level: 'fatal' });
    pool = connectPg({ url: process.env['PG_URL'] ?? '', applicationName: 'test', log });
    queue = createPgQueue(pool);
  });
  afterAll(() => pool.end());

  /** A clock that only moves while the cycle waits, and a starter that answers by script. */
  function makeCycle(
    itemType: string,
    answer: (request: StartRequest) => StartOutcome | Promise<StartOutcome>,
  ) {
    const clock = { nowMs: 0, pauses: [] as number[] };
    const requests: { id: string; atMs: number }[] = [];
    const temporal = { isReachable: true };
    const controller = new AbortController();
    const dispatchBatch = createDispatchBatch({
      queue,
      metrics: createMetrics(new Registry()),
      concurrency: 10,
      maxSubBatch: 10,
      time: {
        now: () => clock.nowMs,
        pause: (ms) => {
          clock.pauses.push(ms);
          clock.nowMs += ms;
          return Promise.resolve();
        },
        random: () => 0,
      },
      starter: {
        start: async (request) => {
          requests.push({ id: request.args[0], atMs: clock.nowMs });
          return answer(request);
        },
        isReachable: async () => temporal.isReachable,
      },
    });
    let cycles = 0;
    const run = () =>
      dispatchBatch({
        itemType,
        cycleId: `${itemType}-${++cycles}`,
        signal: controller.signal,
        onProgress: () => undefined,
      });
    return { run, requests, clock, controller, temporal };
  }

  async function fill(count: number, changes: Partial<DispatchConfig> = {}): Promise<string> {
    const itemType = `D${randomBytes(8).toString('hex').toUpperCase()}`;
    await queue.writeConfig({ itemType, config: { ...settings, ...changes }, by: 'test' });
    await queue.enqueue(
      Array.from({ length: count }, (_, index) => ({
        itemType,
        itemId: `i${String(index).padStart(4, '0')}`,
        contextJson: '{}',
        contextVersion: 1,
        // A clear order, so that a test knows which item comes first.
        scheduledExecTime: new Date(Date.now() - 3_600_000 + index * 1_000),
        initWorkflowId: 'init',
      })),
    );
    return itemType;
  }

  async function statuses(itemType: string): Promise<Partial<Record<QueueStatus, number>>> {
    const { rows } = await pool.query<{ queue_status: QueueStatus; n: number }>(
      'SELECT queue_status, count(*)::integer AS n FROM exec_queue WHERE item_type = $1 GROUP BY 1',
      [itemType],
    );
    return Object.fromEntries(rows.map((row) => [row.queue_status, row.n]));
  }

  async function passTime(itemType: string): Promise<void> {
    await pool.query(
      `UPDATE exec_queue
          SET claimed_at = claimed_at - interval '3 minutes', retry_after = retry_after - interval '3 minutes'
        WHERE item_type = $1`,
      [itemType],
    );
  }

  const started = (): StartOutcome => ({ kind: 'started' });

  it('starts its budget in even steps and leaves the rest for the next cycle', async () => {
    const itemType = await fill(60);
    const { run, requests } = makeCycle(itemType, started);
    expect(await run()).toMatchObject({ claimed: 40, started: 40, end: 'budget_used' });
    expect(await statuses(itemType)).toEqual({ DISPATCHED: 40, READY: 20 });
    const perMoment = Object.groupBy(requests, (request) => request.atMs);
    expect(Object.keys(perMoment)).toEqual(['0', '500', '1000', '1500', '2000', '2500', '3000', '3500']);
    expect(await run()).toMatchObject({ claimed: 20, started: 20, end: 'drained' });
    expect(await run()).toMatchObject({ claimed: 0, started: 0, end: 'drained' });
    expect(new Set(requests.map((request) => request.id)).size).toBe(60);
  });

  it('counts a workflow that was there before as success', async () => {
    const itemType = await fill(3);
    const { run } = makeCycle(itemType, () => ({ kind: 'already_started' }));
    expect(await run()).toMatchObject({ claimed: 3, started: 0, alreadyStarted: 3 });
    expect(await statuses(itemType)).toEqual({ DISPATCHED: 3 });
    const found = await queue.findItem(itemType, 'i0000');
    expect(found?.trail.at(-1)).toMatchObject({ action: 'ALREADY_STARTED', statusAfter: 'DISPATCHED' });
  });

  it('stops at the kill switch after the sub-batch in hand, and loses nothing', async () => {
    const itemType = await fill(40);
    const cycle = makeCycle(itemType, async () => {
      if (cycle.requests.length === 7) {
        await queue.writeConfig({ itemType, config: { ...settings, enabled: false }, by: 'operator' });
      }
      return { kind: 'started' };
    });
    expect(await cycle.run()).toMatchObject({ started: 10, end: 'switched_off' });
    expect(await statuses(itemType)).toEqual({ DISPATCHED: 10, READY: 30 });
    expect(await cycle.run()).toMatchObject({ claimed: 0, end: 'switched_off' });
    await queue.writeConfig({ itemType, config: settings, by: 'operator' });
    expect(await cycle.run()).toMatchObject({ started: 30 });
  });

  it('slows down when Temporal asks for less, without counting a retry, and recovers', async () => {
    const itemType = await fill(40);
    let refuse = true;
    const { run, requests } = makeCycle(itemType, () =>
      refuse ? { kind: 'throttled', error: 'slow down' } : { kind: 'started' },
    );
    const counts = await run();
    expect(counts).toMatchObject({ started: 0, failed: 0, exhausted: 0 });
    expect(counts.released).toBe(counts.claimed);
    expect(requests.filter((request) => request.atMs === 0)).toHaveLength(5);
    expect(requests.filter((request) => request.atMs === 500)).toHaveLength(2);
    expect(requests.filter((request) => request.atMs === 1_000)).toHaveLength(1);
    expect(await statuses(itemType)).toEqual({ READY: 40 });
    expect((await queue.findItem(itemType, 'i0000'))?.row).toMatchObject({
      retryCount: 0,
      lastError: 'Temporal asked for a lower rate',
    });
    refuse = false;
    for (let cycle = 0; cycle < 20; cycle++) await run();
    expect(await statuses(itemType)).toEqual({ DISPATCHED: 40 });
  });

  it('ends the cycle when no start gets an answer, and holds it against no item', async () => {
    const itemType = await fill(40);
    const { run, requests, temporal } = makeCycle(itemType, () => ({
      kind: 'unreachable',
      error: 'no connection',
    }));
    temporal.isReachable = false;
    expect(await run()).toMatchObject({ claimed: 5, released: 5, failed: 0, end: 'unreachable' });
    expect(requests).toHaveLength(5);
    expect(await statuses(itemType)).toEqual({ READY: 40 });
    expect((await queue.findItem(itemType, 'i0000'))?.row.retryCount).toBe(0);
  });

  it('holds an outage in the middle of a sub-batch against no item either', async () => {
    const itemType = await fill(40);
    const { run, temporal } = makeCycle(itemType, (request) => {
      if (request.args[0] < 'i0007') return { kind: 'started' };
      temporal.isReachable = false;
      return { kind: 'unreachable', error: 'no connection' };
    });
    expect(await run()).toMatchObject({ started: 7, released: 3, failed: 0, end: 'unreachable' });
    expect(await statuses(itemType)).toEqual({ DISPATCHED: 7, READY: 33 });
    expect((await queue.findItem(itemType, 'i0008'))?.row).toMatchObject({
      retryCount: 0,
      lastError: 'Temporal did not answer',
    });
  });

  it('counts a retry for items that get no answer while Temporal gives answers', async () => {
    const itemType = await fill(10);
    const { run } = makeCycle(itemType, (request) =>
      request.args[0] < 'i0002' ? { kind: 'unreachable', error: 'no answer' } : { kind: 'started' },
    );
    expect(await run()).toMatchObject({ started: 8, failed: 2, released: 0, end: 'drained' });
    expect((await queue.findItem(itemType, 'i0000'))?.row.retryCount).toBe(1);
  });

  it('takes a poison item back to READY with its error, sets it aside in the end, and holds up no other', async () => {
    const itemType = await fill(4);
    const { run } = makeCycle(itemType, (request) =>
      request.args[0] === 'i0000' ? { kind: 'failed', error: 'refused' } : { kind: 'started' },
    );
    expect(await run()).toMatchObject({ started: 3, failed: 1 });
    expect((await queue.findItem(itemType, 'i0000'))?.row).toMatchObject({
      status: 'READY',
      retryCount: 1,
      lastError: 'refused',
    });
    expect(await run()).toMatchObject({ claimed: 0 });
    await passTime(itemType);
    expect(await run()).toMatchObject({ failed: 1, exhausted: 0 });
    await passTime(itemType);
    expect(await run()).toMatchObject({ failed: 1, exhausted: 1 });
    expect(await statuses(itemType)).toEqual({ DISPATCHED: 3, EXHAUSTED: 1 });
    expect(await run()).toMatchObject({ claimed: 0, end: 'drained' });
  });

  it('sets an item without a context aside, with the reason', async () => {
    const itemType = await fill(2);
    await pool.query('DELETE FROM exec_context WHERE item_type = $1 AND item_id = $2', [itemType, 'i0000']);
    const { run } = makeCycle(itemType, started);
    expect(await run()).toMatchObject({ claimed: 2, started: 1, exhausted: 1 });
    expect((await queue.findItem(itemType, 'i0000'))?.row).toMatchObject({
      status: 'EXHAUSTED',
      lastError: 'its context is missing from exec_context',
    });
  });

  it('gives back what it has not started when it is told to stop', async () => {
    const itemType = await fill(40, { batchSize: 400 });
    const cycle = makeCycle(itemType, () => {
      cycle.controller.abort();
      return { kind: 'started' };
    });
    expect(await cycle.run()).toMatchObject({ claimed: 10, end: 'cancelled' });
    const { DISPATCHED = 0, READY = 0 } = await statuses(itemType);
    expect(DISPATCHED).toBeGreaterThan(0);
    expect(DISPATCHED + READY).toBe(40);
  });

  it('finds what a killed dispatcher had started, after its claim went stale', async () => {
    const itemType = await fill(3);
    await queue.claim({ itemType, token: 'KILLED', limit: 2 });
    const before = new Set(['exec-' + itemType.toLowerCase() + '-i0000']);
    const { run } = makeCycle(itemType, (request) =>
      before.has(request.workflowId) ? { kind: 'already_started' } : { kind: 'started' },
    );
    expect(await run()).toMatchObject({ claimed: 1, started: 1 });
    await passTime(itemType);
    expect(await run()).toMatchObject({ claimed: 2, reclaimed: 2, started: 1, alreadyStarted: 1 });
    expect(await statuses(itemType)).toEqual({ DISPATCHED: 3 });
  });
});
