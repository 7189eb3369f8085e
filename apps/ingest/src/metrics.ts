import { Counter, Histogram, type Registry } from 'prom-client';

export type IntakeOutcome = 'accepted' | 'repeated' | 'conflict' | 'unavailable';
export type InitOutcome = 'scheduled' | 'rejected' | 'already' | 'conflict' | 'unreadable';

export interface Metrics {
  readonly intake: (outcome: IntakeOutcome) => void;
  readonly initialised: (outcome: InitOutcome, count: number) => void;
  readonly slotsAsked: (outcome: 'answered' | 'failed', seconds: number) => void;
}

/** Every metric that ingest emits beside those of service-kit. */
export function createMetrics(registry: Registry): Metrics {
  const intake = new Counter({
    name: 'ingest_requests_total',
    help: 'Payments sent by producers, by what they were answered.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const initialised = new Counter({
    name: 'ingest_payments_total',
    help: 'Payments that went through Phase A, by where they ended.',
    labelNames: ['outcome'],
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
    intake: (outcome) => intake.inc({ outcome }),
    initialised: (outcome, count) => {
      if (count > 0) initialised.inc({ outcome }, count);
    },
    slotsAsked: (outcome, seconds) => slots.observe({ outcome }, seconds),
  };
}
