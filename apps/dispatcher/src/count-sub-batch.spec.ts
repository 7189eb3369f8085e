import { Registry } from 'prom-client';
import type { ClaimedItem } from '@sluice/queue-core';
import { countSubBatch } from './count-sub-batch.js';
import { emptyTally } from './cycle-counts.js';
import { createMetrics } from './metrics.js';
import type { StartedItem } from './start-sub-batch.js';

const start = (outcome: StartedItem['outcome'], latenessMs: number): StartedItem => ({
  item: { itemId: 'a' } as ClaimedItem,
  workflowId: 'w',
  outcome,
  latenessMs,
});

describe('countSubBatch', () => {
  it('counts what happened to each item, and how late those were that started', async () => {
    const registry = new Registry();
    countSubBatch(createMetrics(registry), 'SAMPLE', {
      tally: {
        ...emptyTally(),
        claimed: 7,
        started: 2,
        alreadyStarted: 1,
        reclaimed: 3,
        exhausted: 4,
        fenced: 5,
      },
      starts: [
        start({ kind: 'started' }, 400),
        start({ kind: 'started' }, 20_000),
        start({ kind: 'already_started' }, 90_000),
        start({ kind: 'throttled', error: 'x' }, 0),
        start({ kind: 'unreachable', error: 'x' }, 0),
        start({ kind: 'away' }, 0),
        start({ kind: 'failed', error: 'x' }, 0),
      ],
    });
    const text = await registry.metrics();
    for (const line of [
      'dispatch_batch_claimed_total{item_type="SAMPLE"} 7',
      'dispatch_workflow_started_total{item_type="SAMPLE"} 2',
      'dispatch_duplicates_absorbed_total{item_type="SAMPLE"} 1',
      'dispatch_stale_reclaimed_total{item_type="SAMPLE"} 3',
      'dispatch_items_exhausted_total{item_type="SAMPLE"} 4',
      'dispatch_items_fenced_total{item_type="SAMPLE"} 5',
      'dispatch_workflow_start_failures_total{item_type="SAMPLE",reason="throttled"} 1',
      'dispatch_workflow_start_failures_total{item_type="SAMPLE",reason="unreachable"} 2',
      'dispatch_workflow_start_failures_total{item_type="SAMPLE",reason="failed"} 1',
      'dispatch_start_lateness_seconds_bucket{le="0.5",item_type="SAMPLE"} 1',
      'dispatch_start_lateness_seconds_count{item_type="SAMPLE"} 2',
      'dispatch_start_lateness_seconds_sum{item_type="SAMPLE"} 20.4',
    ]) {
      expect(text).toContain(line);
    }
  });
});
