import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { until } from './until.js';

const program = join(__dirname, '..', '..', 'dist', 'main.js');

export interface RelayerProcess {
  readonly url: string;
  /** Sends a signal and answers with the exit code, or null after a kill. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** The service as it is deployed, which can be killed. Built by `nx build webhook-relayer`. */
export async function startRelayerProcess(
  variables: Readonly<Record<string, string>>,
): Promise<RelayerProcess> {
  const [http, ops] = await freePorts();
  const child = spawn(process.execPath, ['--disable-warning=TimeoutNegativeWarning', program], {
    env: {
      PATH: process.env.PATH,
      PG_URL: process.env.PG_URL,
      KAFKA_BROKERS: process.env.KAFKA_BROKERS,
      REDIS_URL: process.env.REDIS_URL,
      SLUICE_ENV: 'development',
      SLUICE_LOG_LEVEL: 'warn',
      SLUICE_HTTP_HOST: '127.0.0.1',
      SLUICE_HTTP_PORT: String(http),
      SLUICE_OPS_PORT: String(ops),
      SLUICE_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
      ...variables,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  await ready(child, ops);
  return {
    url: `http://127.0.0.1:${http}`,
    async end(signal) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

async function ready(child: ChildProcess, ops: number): Promise<void> {
  let errors = '';
  child.stderr?.on('data', (text: Buffer) => (errors += text.toString()));
  await until('the service is ready', async () => {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${errors}`);
    const answer = await fetch(`http://127.0.0.1:${ops}/readyz`).catch(() => undefined);
    return answer?.ok === true ? true : undefined;
  });
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
