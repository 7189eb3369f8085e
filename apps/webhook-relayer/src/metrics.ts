import type { Registry } from '@sluice/service-kit';
import { Counter, Gauge, Histogram } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/** Every metric of this service. No label holds a URL or an id: their number would have no bound. */
export function createMetrics(registry: Registry) {
  const registers = [registry];
  return {
    ...intakeMetrics(registers),
    ...attemptMetrics(registers),
    ...guardMetrics(registers),
    ...queueMetrics(registers),
  };
}

function intakeMetrics(registers: Registry[]) {
  return {
    messages: new Counter({
      name: 'webhook_relayer_messages_total',
      help: 'Messages taken from the events topic, by result: stored, duplicate, or the reason of the dead letter',
      labelNames: ['result'],
      registers,
    }),
    consumerLag: new Gauge({
      name: 'webhook_relayer_consumer_lag',
      help: 'Messages of the events topic that the group has not taken in yet',
      registers,
    }),
    consumerRestarts: new Counter({
      name: 'webhook_relayer_consumer_restarts_total',
      help: 'Times that the consumer was started anew because a partition made no progress',
      registers,
    }),
    relayed: new Counter({
      name: 'webhook_relayer_outbox_events_total',
      help: 'Events taken from the outbox, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
  };
}

function attemptMetrics(registers: Registry[]) {
  return {
    attempts: new Counter({
      name: 'webhook_relayer_attempts_total',
      help: 'Attempts to deliver, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    attemptDuration: new Histogram({
      name: 'webhook_relayer_attempt_duration_seconds',
      help: 'Time from the start of a request to its answer or failure',
      buckets: SECONDS,
      registers,
    }),
    deliveryLatency: new Histogram({
      name: 'webhook_relayer_delivery_latency_seconds',
      help: 'Time from the storing of an event to its delivery, retries included',
      buckets: [...SECONDS, 60, 300, 1_800, 3_600],
      registers,
    }),
    startLag: new Histogram({
      name: 'webhook_relayer_start_lag_seconds',
      help: 'Time from when a delivery was due to when it was leased',
      buckets: SECONDS,
      registers,
    }),
    inFlight: new Gauge({
      name: 'webhook_relayer_in_flight',
      help: 'Deliveries that this instance is working on',
      registers,
    }),
  };
}

function guardMetrics(registers: Registry[]) {
  return {
    refusals: new Counter({
      name: 'webhook_relayer_refusals_total',
      help: 'Times that a guard let through fewer requests than there were, by reason',
      labelNames: ['reason'],
      registers,
    }),
    deferrals: new Counter({
      name: 'webhook_relayer_deferrals_total',
      help: 'Leased deliveries put off without using an attempt, by reason',
      labelNames: ['reason'],
      registers,
    }),
    circuitsOpen: new Gauge({
      name: 'webhook_relayer_circuits_open',
      help: 'Subscriptions that this instance sends nothing to because their circuit is open',
      registers,
    }),
    guardsDegraded: new Gauge({
      name: 'webhook_relayer_guards_degraded',
      help: '1 while this instance keeps to its share of the limits by itself because Redis is away',
      registers,
    }),
    disabled: new Counter({
      name: 'webhook_relayer_subscriptions_disabled_total',
      help: 'Subscriptions disabled because their endpoint had only failed for days',
      registers,
    }),
  };
}

function queueMetrics(registers: Registry[]) {
  return {
    late: new Counter({
      name: 'webhook_relayer_late_outcomes_total',
      help: 'Outcomes that came after their lease had been taken away',
      registers,
    }),
    unrecorded: new Counter({
      name: 'webhook_relayer_unrecorded_outcomes_total',
      help: 'Outcomes that could not be written; the delivery will be made again',
      registers,
    }),
    leasesExpired: new Counter({
      name: 'webhook_relayer_leases_expired_total',
      help: 'Deliveries taken back from senders that did not report in time',
      registers,
    }),
    cancelled: new Counter({
      name: 'webhook_relayer_cancelled_total',
      help: 'Deliveries cancelled because their subscription had ended',
      registers,
    }),
    overdue: new Gauge({
      name: 'webhook_relayer_overdue_seconds',
      help: 'How long the delivery that is longest overdue has been waiting',
      registers,
    }),
  };
}
