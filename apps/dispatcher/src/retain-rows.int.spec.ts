import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { createPgQueue } from '@sluice/queue-core';
import { createLogger } from '@sluice/service-kit';
import { connectPg } from '@sluice/service-kit/pg';
import { createMetrics } from './metrics.js';
import { retentionWorker } from './retain-rows.js';

const log = createLogger({ service: 'test', level: 'fatal' });

describe('the retention worker', () => {
  it('removes what is old, batch by batch, and leaves what is young or waits', async () => {
    const pool = connectPg({ url: process.env['PG_URL'] ?? '', applicationName: 'test', log });
    const queue = createPgQueue(pool);
    const registry = new Registry();
    const config = {
      enabled: true,
      batchSize: 500,
      dispatchIntervalSecs: 5,
      jitterWindowMs: 0,
      preStartBufferMins: 1,
      maxDispatchRetries: 3,
      staleClaimThresholdMins: 2,
      execWorkflowType: 'SampleWorkflow',
      execTaskQueue: 'sample',
    };
    const itemType = 'SAMPLE';
    await queue.writeConfig({ itemType, config, by: 'test' });
    await queue.enqueue(
      Array.from({ length: 270 }, (_, index) => ({
        itemType,
        itemId: `i${index}`,
        contextJson: '{}',
        contextVersion: 1,
        scheduledExecTime: new Date(Date.now() - 60_000),
        initWorkflowId: 'init',
      })),
    );
    const { items } = await queue.claim({ itemType, token: 'A', limit: 260 });
    const done = items.map(({ itemId }) => ({ itemId, execWorkflowId: 'w', alreadyStarted: false }));
    await queue.markDispatched({ itemType, token: 'A', items: done });
    const young = items.slice(0, 10).map(({ itemId }) => itemId);
    await pool.query(
      "UPDATE exec_queue SET updated_at = updated_at - interval '2 days' WHERE item_id <> ALL ($1::text[])",
      [young],
    );
    await pool.query(
      "UPDATE dispatch_audit_log SET created_at = created_at - interval '2 days' WHERE item_id <> ALL ($1::text[])",
      [young],
    );

    const stop = new AbortController();
    const worker = retentionWorker({
      queue,
      metrics: createMetrics(registry),
      log,
      settings: { finishedSeconds: 86_400, auditSeconds: 86_400, batchSize: 100 },
    });
    const working = worker.run(stop.signal, () => undefined);
    try {
      const removed = async (kind: string) => {
        const { values } = (await registry.getSingleMetric('dispatch_retention_removed_total')?.get()) ?? {};
        return values?.find(({ labels }) => labels['kind'] === kind)?.value ?? 0;
      };
      const deadline = performance.now() + 20_000;
      while ((await removed('item')) < 250 || (await removed('audit')) < 510) {
        if (performance.now() > deadline) throw new Error('it was not removed within 20 s');
        await sleep(50);
      }
      expect(await removed('item')).toBe(250);
      expect(await removed('context')).toBe(250);
      expect(await queue.measureDepth(itemType, 1_000)).toMatchObject({ ready: 10 });
      expect(await queue.countFinished(itemType, 1_000)).toEqual({ dispatched: 10, cancelled: 0 });
      const found = await queue.findItem(itemType, young[0] ?? '');
      expect(found?.trail.map(({ action }) => action)).toEqual(['ENQUEUED', 'CLAIMED', 'DISPATCHED']);
    } finally {
      stop.abort();
      await working;
      await pool.end();
    }
  });
});
