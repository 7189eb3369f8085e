import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../ports.js';
import { identify } from '../processes/identity.js';

/** Outside the repository, so that clones share it and `git clean` leaves it alone. */
export function cacheFolder(environment: Environment): string {
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'sluice');
}

/** What was installed for one machine is no good for another that shares the home folder. */
export function cacheKey(
  name: string,
  version: string,
  machine: { platform: string; arch: string } = process,
): string {
  return `${name}-${version}-${machine.platform}-${machine.arch}`;
}

/**
 * The folder of that key, filled once. It is filled under another name and then renamed, so that it is either whole or
 * not there; of two that fill it at the same time the first one wins.
 */
export async function cached(
  cache: string,
  key: string,
  fill: (folder: string) => Promise<void>,
): Promise<{ readonly folder: string; readonly wasThere: boolean }> {
  const folder = join(cache, key);
  if (await isCached(cache, key)) return { folder, wasThere: true };
  await removeAbandoned(cache);
  const draft = join(cache, `.filling-${process.pid}-${key}`);
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  try {
    await fill(draft);
    await rename(draft, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return { folder, wasThere: false };
}

export async function isCached(cache: string, key: string): Promise<boolean> {
  return await exists(join(cache, key));
}

async function removeAbandoned(cache: string): Promise<void> {
  for (const name of await readdir(cache).catch(() => [])) {
    const pid = /^\.filling-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && identify(Number(pid)) === undefined) {
      await rm(join(cache, name), { recursive: true, force: true });
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
