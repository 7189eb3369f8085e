import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalStackError, messageOf } from '../errors.js';
import { portTable } from '../ports.js';
import type { Environment, PortTable } from '../ports.js';
import type { Run } from '../processes/run.js';
import type { Reporter } from '../reporting/reporter.js';
import { cacheFolder } from './cache.js';
import { kafka } from './kafka.js';
import { openRunOnFreePorts } from './open-run.js';
import { postgres } from './postgres.js';
import { redis } from './redis.js';
import type { ServerName, ServerPart, Surroundings } from './server-part.js';
import { temporal } from './temporal.js';
import { waitUntilReady } from './wait-until-ready.js';

const parts: readonly ServerPart[] = [postgres, kafka, temporal, redis];
const givenAddressAnswersWithinMs = 5_000;

export interface ServerOptions {
  /** The base of the port table, or `free` for the first base on which all ports are free. */
  readonly portBase: number | 'free';
  readonly reporter: Reporter;
  /** Whether PostgreSQL survives a power cut; false for stacks that are thrown away. */
  readonly durable: boolean;
  readonly environment: Environment;
  /** Whether Temporal brings its web interface. Default false. */
  readonly webInterface?: boolean;
  /** Only these servers are needed; the address of any other is then the empty text. Default: all. */
  readonly only?: readonly ServerName[];
  /** Settings of a PostgreSQL that is started here, beside those it always gets. */
  readonly postgresSettings?: Readonly<Record<string, string>>;
  /** A file in the folder of the run that Temporal keeps everything in. Default: in memory. */
  readonly temporalFile?: string;
  /** Aborting it while servers start stops them again. */
  readonly signal?: AbortSignal;
  /** Where the run's folder is made. Default: the system's folder for temporary files. */
  readonly dataRoot?: string;
}

export interface Addresses {
  readonly pgUrl: string;
  readonly kafkaBrokers: string;
  readonly temporalAddress: string;
  readonly redisUrl: string;
}

export interface Stack {
  readonly addresses: Addresses;
  /** Those that were started here; the others were given by the environment. */
  readonly started: readonly ServerName[];
  readonly ports: PortTable;
  /** Data and logs; removed by `stop` unless `keepFolder` was called. */
  readonly folder: string;
  readonly logFolder: string;
  /** Starts a process that ends with the stack, whatever becomes of its starter. */
  readonly spawnOwned: Run['spawnOwned'];
  readonly noteAddresses: Run['noteAddresses'];
  readonly keepFolder: Run['keepFolder'];
  /** Stops all processes of the stack, those on top of the servers first. May be called more than once. */
  stop(): Promise<void>;
}

/** Brings up all servers side by side and waits until each has answered a real call. */
export async function startServers(options: ServerOptions): Promise<Stack> {
  options.signal?.throwIfAborted();
  const needed = parts.filter(({ name }) => options.only?.includes(name) ?? true);
  const run = await openRunOnFreePorts(options, parts);
  const abandon = (): void => void run.stop();
  options.signal?.addEventListener('abort', abandon, { once: true });
  try {
    const servers = await bringUpAll(needed, options, run);
    options.signal?.throwIfAborted();
    const addresses: Addresses = {
      pgUrl: servers.postgres?.address ?? '',
      kafkaBrokers: servers.kafka?.address ?? '',
      temporalAddress: servers.temporal?.address ?? '',
      redisUrl: servers.redis?.address ?? '',
    };
    run.noteAddresses(shownAddresses(addresses));
    const started = parts.map(({ name }) => name).filter((name) => servers[name]?.isOurs);
    return { ...run, addresses, started, ports: portTable(run.portBase) };
  } catch (error) {
    await run.stop();
    options.signal?.throwIfAborted();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', abandon);
  }
}

interface BroughtUp {
  readonly address: string;
  readonly isOurs: boolean;
}

async function bringUpAll(
  needed: readonly ServerPart[],
  options: ServerOptions,
  run: Run,
): Promise<Partial<Record<ServerName, BroughtUp>>> {
  const servers: Partial<Record<ServerName, BroughtUp>> = {};
  const problems: unknown[] = [];
  const outcomes = await Promise.allSettled(
    needed.map(async (part) => {
      servers[part.name] = await bringUp(part, options, run);
    }),
  );
  for (const outcome of outcomes) if (outcome.status === 'rejected') problems.push(outcome.reason);
  if (problems.length === 1) throw problems[0];
  if (problems.length > 1) {
    throw new LocalStackError('NOT_READY', problems.map(messageOf).join('\n\n'), { cause: problems });
  }
  return servers;
}

async function bringUp(part: ServerPart, options: ServerOptions, run: Run): Promise<BroughtUp> {
  const { reporter, environment } = options;
  try {
    const given = environment[part.variable] || undefined;
    if (given !== undefined) {
      reporter.step(part.title, 'waiting', `for the one that ${part.variable} names`);
      await probeGiven(part, given);
      reporter.step(part.title, 'ready', `${withoutPassword(given)}, named by ${part.variable}`);
      return { address: given, isOurs: false };
    }
    reporter.step(part.title, 'waiting');
    const prepared = await part.prepare(surroundingsOf(part, options, run));
    reporter.step(part.title, 'starting', prepared.origin);
    const { address, process } = await prepared.start();
    await waitUntilReady({
      title: part.title,
      process,
      withinMs: part.startsWithinMs,
      probe: () => part.probe(address),
    });
    reporter.step(part.title, 'ready', `${address}, ${prepared.origin}`);
    return { address, isOurs: true };
  } catch (error) {
    reporter.step(part.title, 'failed', messageOf(error).split('\n')[0]);
    throw error;
  }
}

function surroundingsOf(part: ServerPart, options: ServerOptions, run: Run): Surroundings {
  return {
    run,
    ports: portTable(run.portBase),
    environment: options.environment,
    cache: cacheFolder(options.environment),
    repository: join(__dirname, '..', '..', '..', '..'),
    durable: options.durable,
    webInterface: options.webInterface ?? false,
    postgresSettings: options.postgresSettings ?? {},
    ...(options.temporalFile === undefined ? {} : { temporalFile: options.temporalFile }),
    installing: (detail) => {
      options.reporter.step(part.title, 'installing', detail);
    },
  };
}

async function probeGiven(part: ServerPart, address: string): Promise<void> {
  const deadline = Date.now() + givenAddressAnswersWithinMs;
  for (;;) {
    const problem = await part.probe(address).then(
      () => undefined,
      (error: unknown) => messageOf(error),
    );
    if (problem === undefined) return;
    if (Date.now() > deadline) {
      throw new LocalStackError(
        'ADDRESS_UNREACHABLE',
        `${part.variable} is set, but ${part.title} at ${withoutPassword(address)} does not answer: ${problem}\n` +
          `Ways out:\n  start that server, or correct ${part.variable}\n  unset ${part.variable}, so that one is started here`,
      );
    }
    await sleep(200);
  }
}

function shownAddresses(addresses: Addresses): Record<string, string> {
  return Object.fromEntries(
    Object.entries(addresses).map(([name, address]) => [name, withoutPassword(String(address))]),
  );
}

export function withoutPassword(address: string): string {
  return address.replace(/(:\/\/[^:@/]*):[^@/]*@/, '$1:***@');
}
