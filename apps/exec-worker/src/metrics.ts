import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { AttemptState } from '@sluice/outbox';

export type Metrics = ReturnType<typeof createMetrics>;

/** Every metric of this service. All speak of the rails only; the webhook relayer counts its own events. */
export function createMetrics(registry: Registry) {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  return {
    pendingDepth: gauge('outbox_pending_depth', 'Instructions that wait for the relay'),
    oldestPendingAge: gauge('oldest_pending_age_seconds', 'Age of the oldest waiting instruction'),
    deadLetters: gauge('dlq_depth', 'Open dead letters'),
    stuck: gauge('stuck_dispatching_count', 'Instructions in flight whose lease ran out'),
    inDoubt: gauge('outbox_in_doubt_count', 'Instructions of which nobody knows whether they were executed'),
    heldParticipants: gauge('outbox_held_participants', 'Participants held by an instruction in doubt'),
    notifyWakeups: new Counter({
      name: 'notify_wakeups_total',
      help: 'Hints that woke the relay',
      registers,
    }),
    claimBatches: new Counter({
      name: 'claim_batches_total',
      help: 'Claims that found at least one instruction',
      registers,
    }),
    attempts: new Counter<'state'>({
      name: 'attempts_total',
      help: 'Rows added to the attempts archive, by state',
      labelNames: ['state'] satisfies ['state'],
      registers,
    }),
    reaperRequeues: new Counter({
      name: 'reaper_requeues_total',
      help: 'Instructions requeued because their lease ran out',
      registers,
    }),
    dispatchLatency: new Histogram<'rail'>({
      name: 'dispatch_latency_ms',
      help: 'Time one attempt took at the rail, status query included',
      labelNames: ['rail'],
      buckets: [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000],
      registers,
    }),
  };
}

export function countAttempts(metrics: Metrics, state: AttemptState, count = 1): void {
  metrics.attempts.inc({ state }, count);
}
