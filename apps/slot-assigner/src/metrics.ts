import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Load } from './measure-load.js';
import type { Observer } from './ports.js';

export interface SlotMetrics extends Observer {
  readonly measured: (loads: readonly Load[]) => void;
  readonly removed: (kind: 'slot' | 'window', count: number) => void;
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Every metric that slot-assigner emits beside those of service-kit. */
export function createMetrics(registry: Registry): SlotMetrics {
  const registers = [registry];
  return { ...requestMetrics(registers), ...groupMetrics(registers), ...windowMetrics(registers) };
}

function requestMetrics(
  registers: Registry[],
): Pick<Observer, 'answered' | 'took' | 'configLookedUp' | 'noticed'> {
  const answers = new Counter({
    name: 'slot_answers_total',
    help: 'Events that were answered, by outcome.',
    labelNames: ['outcome'],
    registers,
  });
  const duration = new Histogram({
    name: 'slot_assignment_duration_seconds',
    help: 'Time from a request for slots to its answer, waiting for a group included.',
    buckets: seconds,
    registers,
  });
  const lookups = new Counter({
    name: 'slot_config_lookups_total',
    help: 'Lookups of a rate limit, by whether this node remembered it.',
    labelNames: ['result'],
    registers,
  });
  const notices = new Counter({
    name: 'slot_config_notices_total',
    help: 'Notices that this node heard of changed rate limits and flushes; a flush is also a connection made anew.',
    labelNames: ['kind'],
    registers,
  });
  return {
    answered: (outcome, count) => answers.inc({ outcome }, count),
    took: (value) => duration.observe(value),
    configLookedUp: (result) => lookups.inc({ result }),
    noticed: (kind) => notices.inc({ kind }),
  };
}

function groupMetrics(registers: Registry[]): Pick<Observer, 'grouped' | 'staleConfigUsed' | 'queued'> {
  const size = new Histogram({
    name: 'slot_group_size',
    help: 'Events placed in one round trip to the database.',
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000],
    registers,
  });
  const duration = new Histogram({
    name: 'slot_group_duration_seconds',
    help: 'Time of one round trip, waiting for the other nodes included.',
    buckets: seconds,
    registers,
  });
  const searched = new Histogram({
    name: 'slot_windows_searched',
    help: 'Windows that one round trip looked into; runs of full windows are stepped over.',
    buckets: [1, 2, 3, 5, 10, 25, 50, 100, 250, 1_000],
    registers,
  });
  const stale = new Counter({
    name: 'slot_stale_config_total',
    help: 'Groups that had to be placed again, since the rate limit had changed and no notice had come.',
    registers,
  });
  const queue = new Gauge({
    name: 'slot_queue_events',
    help: 'Events that wait for a round trip or are in one.',
    registers,
  });
  return {
    grouped: (group) => {
      size.observe(group.events);
      duration.observe(group.seconds);
      searched.observe(group.windowsSearched);
    },
    staleConfigUsed: () => stale.inc(),
    queued: (events) => queue.set(events),
  };
}

function windowMetrics(registers: Registry[]): Pick<SlotMetrics, 'measured' | 'removed'> {
  const fill = new Gauge({
    name: 'slot_window_fill_ratio',
    help: 'Slots of the present window by its capacity, of the first 50 rate limits by name.',
    labelNames: ['config'],
    registers,
  });
  const furthest = new Gauge({
    name: 'slot_furthest_seconds',
    help: 'How far ahead the last window begins that holds a slot, of the first 50 rate limits by name.',
    labelNames: ['config'],
    registers,
  });
  const removed = new Counter({
    name: 'slot_retention_removed_total',
    help: 'Rows removed because their windows are long past, by kind: slot or window.',
    labelNames: ['kind'],
    registers,
  });
  return {
    measured: (loads) => {
      fill.reset();
      furthest.reset();
      for (const { configName: config, ...load } of loads) {
        fill.set({ config }, load.fill);
        furthest.set({ config }, load.furthestSeconds);
      }
    },
    removed: (kind, count) => removed.inc({ kind }, count),
  };
}
