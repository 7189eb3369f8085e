import { Registry } from 'prom-client';
import { createMetrics } from './metrics.js';

describe('metrics', () => {
  it('keep the names that dashboards and alerts know', async () => {
    const registry = new Registry();
    createMetrics(registry);
    expect((await registry.getMetricsAsJSON()).map(({ name }) => name).toSorted()).toEqual([
      'dispatch_batch_claimed_total',
      'dispatch_cycle_duration_seconds',
      'dispatch_duplicates_absorbed_total',
      'dispatch_enabled',
      'dispatch_items_exhausted_total',
      'dispatch_items_fenced_total',
      'dispatch_last_cycle_timestamp_seconds',
      'dispatch_oldest_due_age_seconds',
      'dispatch_queue_depth',
      'dispatch_retention_removed_total',
      'dispatch_schedule_lag_seconds',
      'dispatch_stale_reclaimed_total',
      'dispatch_start_lateness_seconds',
      'dispatch_workflow_start_failures_total',
      'dispatch_workflow_started_total',
    ]);
  });
});
