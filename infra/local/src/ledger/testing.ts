import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface RunningSimulator {
  readonly url: string;
  /** The line that it printed when it was ready. */
  readonly greeting: string;
  /** Sends the signal and waits for the end; the exit code is null after SIGKILL. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

export interface Bench {
  /** A folder of this bench's own, for ledgers. */
  readonly folder: string;
  start(name: string, ledgerFile: string): Promise<RunningSimulator>;
  /** Runs a simulator that is expected to end by itself. */
  run(name: string, environment: Record<string, string>): Promise<{ code: number | null; stderr: string }>;
  /** Ends what still runs and removes the folder. */
  clear(): Promise<void>;
}

/** Starts built simulators as the processes that they are in use. */
export async function createBench(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-simulator-'));
  const running = new Set<RunningSimulator>();
  return {
    folder,
    async start(name, ledgerFile) {
      const child = launch(name, { PORT: '0', LEDGER_FILE: ledgerFile });
      const exited = once(child, 'exit');
      const stderr = collect(child.stderr);
      const greeting = await Promise.race([firstLine(child.stdout), exited.then(() => undefined)]);
      const url = greeting && /http:\/\/[\d.:]+/.exec(greeting)?.[0];
      if (!greeting || !url) throw new Error(`${name} did not start: ${stderr()}`);
      const simulator: RunningSimulator = {
        url,
        greeting,
        async end(signal) {
          child.kill(signal);
          await exited;
          running.delete(simulator);
          return child.exitCode;
        },
      };
      running.add(simulator);
      return simulator;
    },
    async run(name, environment) {
      const child = launch(name, environment);
      const stderr = collect(child.stderr);
      await once(child, 'close');
      return { code: child.exitCode, stderr: stderr() };
    },
    async clear() {
      await Promise.all([...running].map((simulator) => simulator.end('SIGKILL')));
      await rm(folder, { recursive: true });
    },
  };
}

function launch(name: string, environment: Record<string, string>) {
  const program = join(__dirname, '..', '..', 'dist', name, 'main.js');
  if (!existsSync(program)) throw new Error(`${program} is missing: build infra/local first`);
  return spawn(process.execPath, [program], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: stream })) return line;
  return undefined;
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  return () => text;
}

/** Asks again until the answer satisfies; fails after ten seconds. */
export async function eventually<T>(ask: () => Promise<T>, satisfies: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const answer = await ask();
    if (satisfies(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(answer)} after ten seconds`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The lines of a simulator's `GET /ledger`. */
export async function ledgerOf<Line = Record<string, unknown>>(url: string, query = ''): Promise<Line[]> {
  const text = await (await fetch(`${url}/ledger${query}`)).text();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

export async function control(url: string, path: string, entries: unknown): Promise<Response> {
  return fetch(`${url}/control/${path}`, { method: 'PUT', body: JSON.stringify(entries) });
}

export async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
