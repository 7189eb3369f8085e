import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

export type DispatchMetrics = ReturnType<typeof createMetrics>;

/** Every metric of this service. `item_type` is bounded: one value a row of the configuration. */
export function createMetrics(registry: Registry) {
  return { ...createCounters(registry), ...createHistograms(registry), ...createGauges(registry) };
}

function createCounters(registry: Registry) {
  const counter = <L extends string>(name: string, help: string, ...more: L[]) =>
    new Counter<'item_type' | L>({ name, help, labelNames: ['item_type', ...more], registers: [registry] });
  return {
    batchClaimed: counter('dispatch_batch_claimed_total', 'Items claimed from the queue'),
    workflowStarted: counter('dispatch_workflow_started_total', 'Exec workflows started'),
    startFailures: counter(
      'dispatch_workflow_start_failures_total',
      'Starts that failed, by reason: throttled, unreachable or failed',
      'reason',
    ),
    duplicatesAbsorbed: counter(
      'dispatch_duplicates_absorbed_total',
      'Starts that found the workflow there already',
    ),
    staleReclaimed: counter(
      'dispatch_stale_reclaimed_total',
      'Items taken over from a claim that went stale',
    ),
    exhausted: counter(
      'dispatch_items_exhausted_total',
      'Items set aside after their last retry or without a usable context',
    ),
    retentionRemoved: new Counter({
      name: 'dispatch_retention_removed_total',
      help: 'Rows removed because of their age, by kind: item, context or audit',
      labelNames: ['kind'],
      registers: [registry],
    }),
    fenced: counter(
      'dispatch_items_fenced_total',
      'Items whose claim was taken over before this dispatcher could settle them',
    ),
  };
}

function createHistograms(registry: Registry) {
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, buckets, labelNames: ['item_type'], registers: [registry] });
  return {
    cycleDuration: histogram(
      'dispatch_cycle_duration_seconds',
      'Time one dispatch cycle took, waiting between sub-batches included',
      [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 4, 5, 7.5, 10, 30, 60, 120, 300],
    ),
    startLateness: histogram(
      'dispatch_start_lateness_seconds',
      'How long after its scheduled time an exec workflow begins, jitter included',
      [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600],
    ),
  };
}

function createGauges(registry: Registry) {
  const gauge = <L extends string>(name: string, help: string, ...more: L[]) =>
    new Gauge<'item_type' | L>({ name, help, labelNames: ['item_type', ...more], registers: [registry] });
  return {
    queueDepth: gauge('dispatch_queue_depth', 'Items in the queue; each count stops at 100000', 'status'),
    oldestDueAge: gauge('dispatch_oldest_due_age_seconds', 'How long the oldest READY item is overdue'),
    scheduleLag: gauge(
      'dispatch_schedule_lag_seconds',
      'How long after its planned time the last cycle of this instance began',
    ),
    lastCycle: gauge(
      'dispatch_last_cycle_timestamp_seconds',
      'When the last cycle of this instance began, in seconds since 1970',
    ),
    enabled: gauge('dispatch_enabled', '1 when the item type is dispatched, 0 when its kill switch is on'),
  };
}
