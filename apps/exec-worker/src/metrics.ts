import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { AttemptState } from '@sluice/outbox';
import type { Rail } from '@sluice/payments';
import type { CircuitState } from './rails/circuit.js';

export type Metrics = ReturnType<typeof createMetrics>;

/** Every metric of this service. All speak of the rails only; the webhook relayer counts its own events. */
export function createMetrics(registry: Registry) {
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  return {
    pendingDepth: gauge('outbox_pending_depth', 'Instructions that wait for the relay'),
    oldestPendingAge: gauge('oldest_pending_age_seconds', 'Age of the oldest waiting instruction'),
    deadLetters: gauge('dlq_depth', 'Open dead letters'),
    stuck: gauge('stuck_dispatching_count', 'Instructions in flight whose lease ran out'),
    inDoubt: gauge('outbox_in_doubt_count', 'Instructions of which nobody knows whether they were executed'),
    heldParticipants: gauge('outbox_held_participants', 'Participants that wait for an operator'),
    notifyWakeups: counter('notify_wakeups_total', 'Hints that woke the relay'),
    claimBatches: counter('claim_batches_total', 'Claims that found at least one instruction'),
    reaperRequeues: counter('reaper_requeues_total', 'Instructions requeued because their lease ran out'),
    lateResults: counter('late_results_total', 'Results that came after their lease was lost'),
    attempts: new Counter<'state'>({
      name: 'attempts_total',
      help: 'Rows added to the attempts archive, by state',
      labelNames: ['state'] satisfies ['state'],
      registers,
    }),
    dispatchLatency: new Histogram<'rail'>({
      name: 'dispatch_latency_ms',
      help: 'Time one attempt took at the rail, status query included',
      labelNames: ['rail'],
      buckets: [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000],
      registers,
    }),
    circuitState: new Gauge<'rail'>({
      name: 'rail_circuit_state',
      help: 'Circuit of a rail in this instance: 0 closed, 1 half open, 2 open',
      labelNames: ['rail'],
      registers,
    }),
    circuitOpenings: new Counter<'rail'>({
      name: 'rail_circuit_openings_total',
      help: 'How often the circuit of a rail opened',
      labelNames: ['rail'],
      registers,
    }),
  };
}

export function countAttempts(metrics: Metrics, state: AttemptState, count = 1): void {
  metrics.attempts.inc({ state }, count);
}

const circuitValues = { CLOSED: 0, HALF_OPEN: 1, OPEN: 2 } as const satisfies Record<CircuitState, number>;

export function showCircuit(metrics: Metrics, rail: Rail, state: CircuitState): void {
  metrics.circuitState.set({ rail }, circuitValues[state]);
  if (state === 'OPEN') metrics.circuitOpenings.inc({ rail });
}
