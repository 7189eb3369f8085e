import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { until } from './until.js';

const program = join(__dirname, '..', '..', 'dist', 'main.js');
const readyWithinMs = 40_000;

export interface DispatcherProcess {
  readonly url: string;
  running(): boolean;
  /** The sum of a metric over all its labels. */
  metric(name: string): Promise<number>;
  /** SIGKILL: it gets no chance to finish or give back anything. */
  kill(): Promise<void>;
}

/** The built dispatcher as a process of its own, ready to work. */
export async function startDispatcher(variables: Record<string, string>): Promise<DispatcherProcess> {
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
  const kill = async () => {
    if (running()) child.kill('SIGKILL');
    await exited;
  };
  try {
    await until('the dispatcher is ready', () => !running() || isReady(ops), readyWithinMs);
    if (!running()) throw new Error('the dispatcher ended instead of becoming ready');
  } catch (error) {
    await kill();
    throw new Error(`the dispatcher said:\n${output}`, { cause: error });
  }
  const url = `http://127.0.0.1:${http}`;
  return { url, running, metric: (name) => readMetric(ops, name), kill };
}

const ask = (port: number, path: string) =>
  fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(2_000) });

async function isReady(port: number): Promise<boolean> {
  const answer = await ask(port, '/readyz').catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.ok ?? false;
}

async function readMetric(port: number, name: string): Promise<number> {
  const text = await (await ask(port, '/metrics')).text();
  const samples = text.split('\n').filter((line) => line.startsWith(`${name}{`));
  return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
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
