import { Registry } from 'prom-client';
import type { ConfigRow } from '@sluice/queue-core';
import { createMeasureQueue } from './measure-queue.js';
import { createMetrics } from './metrics.js';

describe('measuring the queue', () => {
  it('shows depth, age and kill switch of each item type', async () => {
    const registry = new Registry();
    const row = (itemType: string, enabled: boolean) => ({ itemType, config: { enabled } }) as ConfigRow;
    const measure = createMeasureQueue({
      metrics: createMetrics(registry),
      queue: {
        listConfigs: async () => [row('INVOICE', true), row('ORDER', false)],
        measureDepth: async (itemType) => ({
          ready: itemType === 'ORDER' ? 5 : 0,
          claimed: 2,
          exhausted: 1,
          oldestDueSeconds: 7.5,
        }),
      },
    });
    await measure(new AbortController().signal);
    const text = await registry.metrics();
    expect(text).toContain('dispatch_queue_depth{item_type="ORDER",status="READY"} 5');
    expect(text).toContain('dispatch_queue_depth{item_type="ORDER",status="CLAIMED"} 2');
    expect(text).toContain('dispatch_queue_depth{item_type="INVOICE",status="EXHAUSTED"} 1');
    expect(text).toContain('dispatch_oldest_due_age_seconds{item_type="INVOICE"} 7.5');
    expect(text).toContain('dispatch_enabled{item_type="INVOICE"} 1');
    expect(text).toContain('dispatch_enabled{item_type="ORDER"} 0');
  });
});
