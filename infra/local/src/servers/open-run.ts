import { join } from 'node:path';
import { LocalStackError } from '../errors.js';
import { freeBases, namedPorts, portTable } from '../ports.js';
import type { Environment } from '../ports.js';
import { openRun } from '../processes/run.js';
import type { Run } from '../processes/run.js';
import { takenPorts } from '../taken-ports.js';
import { cacheFolder } from './cache.js';
import { openDataRoot } from './postgres-user.js';
import type { ServerPart } from './server-part.js';

interface PortOptions {
  readonly portBase: number | 'free';
  readonly environment: Environment;
  readonly dataRoot?: string;
}

/** Opens a run on the ports that were asked for, or on the first that are all free. */
export async function openRunOnFreePorts(options: PortOptions, parts: readonly ServerPart[]): Promise<Run> {
  const needed = (base: number): ReadonlyMap<number, string> => neededPorts(base, options.environment, parts);
  if (options.portBase !== 'free')
    return await openCheckedRun(options, options.portBase, needed(options.portBase));
  const first = Math.floor(Math.random() * freeBases.length);
  for (const base of [...freeBases.slice(first), ...freeBases.slice(0, first)]) {
    try {
      return await openCheckedRun(options, base, needed(base));
    } catch (error) {
      const isOccupied =
        error instanceof LocalStackError && ['ALREADY_RUNNING', 'PORT_TAKEN'].includes(error.code);
      if (!isOccupied) throw error;
    }
  }
  throw new LocalStackError(
    'PORT_TAKEN',
    `On each base from ${freeBases[0]} to ${freeBases.at(-1)} some port is taken.`,
  );
}

async function openCheckedRun(
  options: PortOptions,
  portBase: number,
  needed: ReadonlyMap<number, string>,
): Promise<Run> {
  const run = await openRun({
    portBase,
    stateFolder: join(cacheFolder(options.environment), 'run'),
    dataRoot: options.dataRoot ?? (await openDataRoot()),
  });
  const taken = await takenPorts(needed);
  if (taken.length === 0) return run;
  await run.stop();
  const lines = taken.map(
    ({ port, use, holder }) => `  ${port} (${use}) is held by ${holder ?? 'another process'}`,
  );
  throw new LocalStackError(
    'PORT_TAKEN',
    ['Ports of the local stack are taken:', ...lines, moveAway(portBase)].join('\n'),
  );
}

function moveAway(portBase: number): string {
  return `Stop what holds them, or move the whole stack with SLUICE_PORT_BASE, such as SLUICE_PORT_BASE=${portBase + 1000}.`;
}

/** All ports of the table but those of parts that are not started here. */
function neededPorts(
  base: number,
  environment: Environment,
  parts: readonly ServerPart[],
): ReadonlyMap<number, string> {
  const given = parts.filter(({ variable }) => environment[variable]).map(({ name }) => name);
  return new Map(
    [...namedPorts(portTable(base))].filter(([, use]) => !given.some((name) => use.startsWith(name))),
  );
}
