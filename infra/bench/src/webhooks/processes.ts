import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitUntilReady, type OwnedProcess, type Stack } from '@sluice/local';

const startsWithinMs = 60_000;

export interface Relayer {
  readonly url: string;
  readonly topic: string;
  readonly process: OwnedProcess;
}

export interface RelayerPlace {
  readonly stack: Stack;
  readonly repository: string;
  readonly topic: string;
}

/** Brings the database to the schema of the service. */
export async function migrateWebhooks({ stack, repository }: Omit<RelayerPlace, 'topic'>): Promise<void> {
  const command = join(repository, 'apps', 'webhook-relayer', 'dist', 'migrate.js');
  const env = { PATH: process.env.PATH, PG_URL: stack.addresses.pgUrl };
  await promisify(execFile)(process.execPath, [command, 'up'], { env });
}

const secretsKey = randomBytes(32).toString('base64');

/** The service as it is deployed, a process of its own, with the limits it has when nobody sets any. */
export async function startRelayer({ stack, repository, topic }: RelayerPlace): Promise<Relayer> {
  const { http, ops } = stack.ports.services['webhook-relayer'];
  const relayer = stack.spawnOwned({
    name: 'webhook-relayer',
    command: process.execPath,
    args: [
      '--disable-warning=TimeoutNegativeWarning',
      join(repository, 'apps', 'webhook-relayer', 'dist', 'main.js'),
    ],
    env: {
      PG_URL: stack.addresses.pgUrl,
      KAFKA_BROKERS: stack.addresses.kafkaBrokers,
      REDIS_URL: stack.addresses.redisUrl,
      SLUICE_ENV: 'development',
      SLUICE_LOG_LEVEL: 'warn',
      SLUICE_HTTP_HOST: '127.0.0.1',
      SLUICE_HTTP_PORT: String(http),
      SLUICE_OPS_PORT: String(ops),
      SLUICE_DRAIN_SECONDS: '5',
      SLUICE_EVENTS_TOPIC: topic,
      SLUICE_CONSUMER_GROUP: topic,
      SLUICE_SECRETS_KEY: secretsKey,
      SLUICE_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
    },
    layer: 2,
    stopWithinMs: 10_000,
  });
  await ready('webhook-relayer', relayer, `http://127.0.0.1:${ops}/readyz`);
  return { url: `http://127.0.0.1:${http}`, topic, process: relayer };
}

export interface Sink {
  readonly url: string;
  /** One line for each request, on disk before it was answered. */
  readonly ledgerFile: string;
}

/** The endpoints: the webhook sink of the local stack. */
export async function startSink(stack: Stack, repository: string): Promise<Sink> {
  const port = stack.ports.webhookSink;
  const url = `http://127.0.0.1:${port}`;
  const ledgerFile = join(stack.folder, 'webhook-sink.ndjson');
  const sink = stack.spawnOwned({
    name: 'webhook-sink',
    command: process.execPath,
    args: [join(repository, 'infra', 'local', 'dist', 'webhook-sink', 'main.js')],
    env: { PORT: String(port), LEDGER_FILE: ledgerFile },
    layer: 1,
  });
  await ready('webhook-sink', sink, `${url}/healthz`);
  return { url, ledgerFile };
}

async function ready(title: string, process_: OwnedProcess, url: string): Promise<void> {
  await waitUntilReady({
    title,
    process: process_,
    withinMs: startsWithinMs,
    probe: async () => {
      const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
      if (!response.ok) throw new Error(`not ready: ${await response.text()}`);
    },
  });
}
