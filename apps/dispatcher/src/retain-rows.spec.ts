import { Registry } from 'prom-client';
import type { ConfigRow } from '@sluice/queue-core';
import { createMetrics } from './metrics.js';
import { createRetainRows } from './retain-rows.js';

function setUp(finished: Readonly<Record<string, number[]>>, audit: number[]) {
  const calls: string[] = [];
  const registry = new Registry();
  const controller = new AbortController();
  const retain = createRetainRows({
    queue: {
      listConfigs: async () => Object.keys(finished).map((itemType) => ({ itemType }) as ConfigRow),
      purgeFinished: async ({ itemType, minAgeSeconds, limit }) => {
        calls.push(`${itemType} ${minAgeSeconds} ${limit}`);
        const items = finished[itemType]?.shift() ?? 0;
        return { items, contexts: items };
      },
      pruneAudit: async ({ minAgeSeconds, limit }) => {
        calls.push(`audit ${minAgeSeconds} ${limit}`);
        return { removed: audit.shift() ?? 0 };
      },
    },
    metrics: createMetrics(registry),
    settings: { finishedSeconds: 3_600, auditSeconds: 86_400, batchSize: 100 },
  });
  return { retain: () => retain(controller.signal), calls, registry, controller };
}

describe('retention', () => {
  it('removes one batch of each item type and of the audit log by their ages', async () => {
    const { retain, calls, registry } = setUp({ INVOICE: [40], ORDER: [2] }, [7]);
    expect(await retain()).toBe(false);
    expect(calls).toEqual(['INVOICE 3600 100', 'ORDER 3600 100', 'audit 86400 100']);
    const text = await registry.getSingleMetricAsString('dispatch_retention_removed_total');
    expect(text).toContain('dispatch_retention_removed_total{kind="item"} 42');
    expect(text).toContain('dispatch_retention_removed_total{kind="audit"} 7');
  });

  it('has more to do as long as a batch was full', async () => {
    const { retain } = setUp({ INVOICE: [100, 100, 3], ORDER: [1, 0, 0] }, [0, 100, 99]);
    expect([await retain(), await retain(), await retain()]).toEqual([true, true, false]);
  });

  it('stops between two batches when it is told to', async () => {
    const { retain, calls, controller } = setUp({ INVOICE: [100] }, [100]);
    controller.abort();
    expect(await retain()).toBe(false);
    expect(calls).toEqual([]);
  });
});
