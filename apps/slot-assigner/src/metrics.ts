import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Observer } from './ports.js';

/** Every metric that slot-assigner emits beside those of service-kit. */
export function createMetrics(registry: Registry): Observer {
  const registers = [registry];
  const answers = new Counter({
    name: 'slot_answers_total',
    help: 'Events that were answered, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const groupSize = new Histogram({
    name: 'slot_group_size',
    help: 'Events placed in one round trip to the database.',
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000],
    registers,
  });
  const groupSeconds = new Histogram({
    name: 'slot_group_duration_seconds',
    help: 'Time of one round trip, waiting for the other nodes included.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const queue = new Gauge({
    name: 'slot_queue_events',
    help: 'Events that wait for a round trip or are in one.',
    registers,
  });
  const lookups = new Counter({
    name: 'slot_config_lookups_total',
    help: 'Lookups of a rate limit, by whether this node remembered it.',
    labelNames: ['result'],
    registers,
  });
  return {
    answered: (outcome, count) => answers.inc({ outcome }, count),
    grouped: ({ events, seconds }) => {
      groupSize.observe(events);
      groupSeconds.observe(seconds);
    },
    queued: (events) => queue.set(events),
    configLookedUp: (result) => lookups.inc({ result }),
  };
}
