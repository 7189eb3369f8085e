// The guard of a run. It reads from its standard input what the run owns, one whole description a line, and acts
// when that input ends: at a clean stop the last description is empty, and after the death of the starter, however
// it died, it names what must be stopped. Usage: node guard.js <state file>
import { createInterface } from 'node:readline';
import { cleanUp } from './clean-up.js';
import { parseRunState } from './run-state.js';
import type { RunState } from './run-state.js';

async function main(stateFile: string): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  let last: RunState | undefined;
  for await (const line of createInterface({ input: process.stdin })) {
    last = parseRunState(line) ?? last;
  }
  if (last) await cleanUp(last, stateFile);
}

void main(process.argv[2] ?? '').then(() => {
  process.exit(0);
});
