import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { eventually } from './eventually.js';

const program = join(__dirname, '..', '..', 'dist', 'main.js');

export interface ExecWorkerProcess {
  /** the text of its metrics */
  metrics(): Promise<string>;
  /** SIGKILL: it gets no chance to finish or give back anything */
  kill(): Promise<void>;
  /** SIGTERM; answers with the exit code */
  stop(): Promise<number | null>;
}

/** The built exec-worker as a process of its own, ready to work. */
export async function startExecWorker(variables: Record<string, string>): Promise<ExecWorkerProcess> {
  const [http, ops] = await freePorts();
  const child = spawn(process.execPath, [program], {
    env: {
      SLUICE_ENV: 'development',
      SLUICE_LOG_LEVEL: 'warn',
      SLUICE_HTTP_HOST: '127.0.0.1',
      SLUICE_HTTP_PORT: String(http),
      SLUICE_OPS_PORT: String(ops),
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (output = (output + String(chunk)).slice(-4_000)));
  }
  const exited = once(child, 'exit');
  const running = () => child.exitCode === null && child.signalCode === null;
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    if (running()) child.kill(signal);
    await exited;
    return child.exitCode;
  };
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${ops}${path}`, { signal: AbortSignal.timeout(2_000) });
  const isReady = async () => (await ask('/readyz').catch(() => undefined))?.ok ?? false;
  try {
    await eventually('the exec-worker is ready', async () => !running() || (await isReady()));
    if (!running()) throw new Error('it ended instead of becoming ready');
  } catch (error) {
    await end('SIGKILL');
    throw new Error(`the exec-worker said:\n${output}`, { cause: error });
  }
  return {
    metrics: async () => (await ask('/metrics')).text(),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}

/** Two that nobody listens on, below those that outgoing connections get, so that none of them can take one meanwhile. */
async function freePorts(): Promise<readonly [http: number, ops: number]> {
  for (;;) {
    const http = randomInt(14_500, 16_350) * 2;
    if ((await isFree(http)) && (await isFree(http + 1))) return [http, http + 1];
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const outcome = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!(await outcome)) return false;
  server.close();
  await once(server, 'close');
  return true;
}
