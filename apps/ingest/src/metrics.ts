import { Counter, Histogram, type Registry } from 'prom-client';
import type { Intake } from './phase-a.js';
import type { DeadLetterReason } from './request-message.js';

export type IntakeOutcome = 'accepted' | 'repeated' | 'conflict' | 'unavailable';
export type InitOutcome = 'scheduled' | 'rejected' | 'already' | 'conflict' | 'unreadable';

export interface Metrics {
  readonly intake: (intake: Intake, outcome: IntakeOutcome) => void;
  readonly initialised: (outcome: InitOutcome, count: number) => void;
  readonly deadLetters: (reason: DeadLetterReason) => void;
  readonly consumer: (event: 'paused' | 'restarted') => void;
  readonly ruleFailed: () => void;
  readonly slotsAsked: (outcome: 'answered' | 'failed', seconds: number) => void;
}

/** Every metric that ingest emits beside those of service-kit. */
export function createMetrics(registry: Registry): Metrics {
  const intake = new Counter({
    name: 'ingest_requests_total',
    help: 'Payments sent by producers, by the way they came and what they were answered.',
    labelNames: ['intake', 'outcome'],
    registers: [registry],
  });
  const initialised = new Counter({
    name: 'ingest_payments_total',
    help: 'Payments that went through Phase A, by where they ended.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const deadLetters = new Counter({
    name: 'ingest_dead_letters_total',
    help: 'Messages that were set aside, by reason.',
    labelNames: ['reason'],
    registers: [registry],
  });
  const consumer = new Counter({
    name: 'ingest_consumer_events_total',
    help: 'How often a partition rested because its payments could not be taken in, and a consumer was made anew.',
    labelNames: ['event'],
    registers: [registry],
  });
  const ruleFailures = new Counter({
    name: 'ingest_rule_failures_total',
    help: 'Rules that threw instead of judging; the payment was rejected.',
    registers: [registry],
  });
  const slots = new Histogram({
    name: 'ingest_slot_request_seconds',
    help: 'Time that slot-assigner took for its whole answer.',
    labelNames: ['outcome'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 1, 2.5, 10],
    registers: [registry],
  });
  return {
    intake: (way, outcome) => intake.inc({ intake: way, outcome }),
    initialised: (outcome, count) => {
      if (count > 0) initialised.inc({ outcome }, count);
    },
    deadLetters: (reason) => deadLetters.inc({ reason }),
    consumer: (event) => consumer.inc({ event }),
    ruleFailed: () => ruleFailures.inc(),
    slotsAsked: (outcome, seconds) => slots.observe({ outcome }, seconds),
  };
}
