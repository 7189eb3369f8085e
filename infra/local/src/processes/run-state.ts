import { link, mkdir, readFile, readdir, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const identity = z.object({ pid: z.number().int().positive(), startedAt: z.string() });

const ownedRecord = identity.extend({
  name: z.string(),
  stopSignal: z.enum(['SIGTERM', 'SIGINT', 'SIGQUIT']),
  stopWithinMs: z.number(),
  layer: z.number(),
});

const runState = z.object({
  id: z.string(),
  portBase: z.number(),
  startedAt: z.string(),
  starter: identity,
  guard: identity.optional(),
  processes: z.array(ownedRecord),
  /** Removed when the run ends. */
  folders: z.array(z.string()),
  addresses: z.record(z.string(), z.string()),
});

/** What must be stopped, and how, when its starter is gone. */
export type OwnedRecord = z.infer<typeof ownedRecord>;

/** All that a later start must know about a run: who leads it, what it started, what it leaves lying about. */
export type RunState = z.infer<typeof runState>;

export function parseRunState(text: string): RunState | undefined {
  try {
    return runState.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function stateFile(runFolder: string, portBase: number): string {
  return join(runFolder, `${portBase}.json`);
}

export async function readRunState(file: string): Promise<RunState | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseRunState(text);
}

export async function listStateFiles(runFolder: string): Promise<readonly string[]> {
  const names = await readdir(runFolder).catch(() => []);
  return names.filter((name) => /^\d+\.json$/.test(name)).map((name) => join(runFolder, name));
}

export async function saveRunState(file: string, state: RunState): Promise<void> {
  const draft = `${file}.${state.id}.draft`;
  await writeFile(draft, JSON.stringify(state, undefined, 2));
  await rename(draft, file);
}

/** Puts the file there with its whole content, or leaves the one that is there and says false. */
export async function claimStateFile(file: string, state: RunState): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${state.id}.draft`;
  await writeFile(draft, JSON.stringify(state, undefined, 2));
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (isExisting(error)) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Removes the file of this run, never that of a run which took its place. */
export async function releaseStateFile(file: string, id: string): Promise<void> {
  const aside = `${file}.${id}.released`;
  try {
    await rename(file, aside);
  } catch {
    return;
  }
  const moved = await readRunState(aside);
  if (moved !== undefined && moved.id !== id) await link(aside, file).catch(() => undefined);
  await unlink(aside).catch(() => undefined);
}

function isExisting(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EEXIST';
}
