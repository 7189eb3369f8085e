import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from './identity.js';
import { releaseStateFile } from './run-state.js';
import type { OwnedRecord, RunState } from './run-state.js';

const lookEveryMs = 50;
const killedWithinMs = 5_000;

/** Ends a run whose starter is gone: its processes from the outermost layer inwards, its folders, its file. */
export async function cleanUp(state: RunState, stateFile: string): Promise<void> {
  for (const layer of layersOf(state.processes)) await Promise.all(layer.map(stopOrphan));
  await Promise.all(
    state.folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })),
  );
  await releaseStateFile(stateFile, state.id);
}

/** Highest layer first: what was built on top of something stops before it. */
export function layersOf<T extends { readonly layer: number }>(
  processes: readonly T[],
): readonly (readonly T[])[] {
  const byLayer = Map.groupBy(processes, ({ layer }) => layer);
  return [...byLayer].sort(([one], [other]) => other - one).map(([, members]) => members);
}

/** Signals a process and all that it started; the group may be gone already. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // Nobody is left in that group.
  }
}

async function stopOrphan(record: OwnedRecord): Promise<void> {
  if (!isRunning(record)) return;
  signalGroup(record.pid, record.stopSignal);
  await hasEnded(record, record.stopWithinMs);
  // Also after a clean end: children that it left behind are still in its group.
  signalGroup(record.pid, 'SIGKILL');
  await hasEnded(record, killedWithinMs);
}

async function hasEnded(record: OwnedRecord, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (isRunning(record) && Date.now() < deadline) await sleep(lookEveryMs);
}
