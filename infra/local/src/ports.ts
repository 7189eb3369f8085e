import { LocalStackError } from './errors.js';

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface PortTable {
  readonly base: number;
  readonly services: {
    readonly ingest: ServicePorts;
    readonly dispatcher: ServicePorts;
    readonly 'exec-worker': ServicePorts;
    readonly 'slot-assigner': ServicePorts;
    readonly 'webhook-relayer': ServicePorts;
  };
  readonly postgres: number;
  readonly kafka: number;
  readonly kafkaController: number;
  readonly temporal: number;
  readonly temporalMetrics: number;
  readonly temporalUi: number;
  readonly redis: number;
  readonly railSimulator: number;
  readonly webhookSink: number;
}

export interface ServicePorts {
  readonly http: number;
  readonly ops: number;
}

const defaultBase = 3000;
const lowestBase = 1024;
/** The table reaches 802 above its base; above 64000 it would leave the range of ports. */
const highestBase = 64_000;

/** Every port of one local stack. Two stacks whose bases lie 1000 apart never meet. */
export function portTable(base: number): PortTable {
  const service = (place: number): ServicePorts => ({ http: base + place, ops: base + 100 + place });
  return {
    base,
    services: {
      ingest: service(1),
      dispatcher: service(2),
      'exec-worker': service(3),
      'slot-assigner': service(4),
      'webhook-relayer': service(5),
    },
    postgres: base + 432,
    kafka: base + 592,
    kafkaController: base + 593,
    temporal: base + 233,
    temporalMetrics: base + 234,
    temporalUi: base + 235,
    redis: base + 379,
    railSimulator: base + 801,
    webhookSink: base + 802,
  };
}

/** The port base that a person asked for with `SLUICE_PORT_BASE`, or the default. */
export function portBaseFrom(environment: Environment): number {
  const given = environment.SLUICE_PORT_BASE;
  if (given === undefined || given === '') return defaultBase;
  const base = Number(given);
  if (!/^\d+$/.test(given) || base < lowestBase || base > highestBase) {
    throw new LocalStackError(
      'BAD_PORT_BASE',
      `SLUICE_PORT_BASE: expected a whole number ${lowestBase}..${highestBase}, found "${given}"`,
    );
  }
  return base;
}

/**
 * Bases for stacks that may stand anywhere, such as a test run's. They lie below the ports that operating
 * systems hand out to outgoing connections, so that no such connection takes one between check and start.
 */
export const freeBases: readonly number[] = Array.from({ length: 22 }, (_, place) => 10_000 + place * 1000);

/** The table as a list, each port with the name of what it is for. */
export function namedPorts(table: PortTable): ReadonlyMap<number, string> {
  const named = new Map<number, string>();
  for (const [name, value] of Object.entries(table)) {
    if (name !== 'base' && typeof value === 'number') named.set(value, name);
  }
  for (const [name, { http, ops }] of Object.entries(table.services)) {
    named.set(http, `${name} API`);
    named.set(ops, `${name} ops`);
  }
  return named;
}
