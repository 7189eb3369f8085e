import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger, parseEnvironment } from '@sluice/service-kit';
import type { Logger } from '@sluice/service-kit';
import { createApi, createApiKey, createKeyRing } from '@sluice/service-kit/http';
import { Registry } from 'prom-client';
import { topicsCheck } from '../adapters/kafka-client.js';
import { environment } from '../config.js';
import { connect } from '../connections.js';
import { createDeliveryParts } from '../delivery-parts.js';
import { createRoutes } from '../http/routes.js';
import { createMetrics } from '../metrics.js';
import { createUseCases } from '../use-cases.js';
import { createWorkers } from '../workers.js';
import { expectDocumented } from './documented.js';
import type { ApiAnswer } from './documented.js';

const scopes = ['events:write', 'events:read', 'subscriptions:write', 'subscriptions:read'];

export interface RelayerOptions {
  /** Of this test alone. */
  readonly name: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly log?: Logger;
  /** False: nothing is taken in or delivered. */
  readonly workers?: boolean;
  readonly publishTimeLimitMs?: number;
}

/** The whole service in this process, on real servers, composed as its main does it. */
export async function startRelayer(options: RelayerOptions) {
  const log = options.log ?? createLogger({ service: 'test', level: 'silent' });
  const config = readConfig(options);
  const registry = new Registry();
  const metrics = createMetrics(registry);
  const outside = connect({ config, log, metrics });
  const { SLUICE_EVENTS_TOPIC: topic } = config;
  const topics = { topic, deadLetterTopic: `${topic}.dlq` };
  const delivery = createDeliveryParts({ config, outside, topics, metrics, log });
  const useCases = createUseCases({
    ...outside,
    topics,
    onDeliveries: () => delivery.engine.wake(),
    ...(options.publishTimeLimitMs === undefined ? {} : { publishTimeLimitMs: options.publishTimeLimitMs }),
  });
  const routes = createRoutes(useCases);
  const callers = { default: newCaller('default'), acme: newCaller('acme'), reader: newCaller('reader') };
  const keys = createKeyRing(
    [
      { ...callers.default.entry, scopes },
      { ...callers.acme.entry, scopes, tenant: 'acme' },
      { ...callers.reader.entry, scopes: ['events:read', 'subscriptions:read'] },
    ],
    'production',
  );
  const server = createServer(createApi({ name: 'test', log, registry, keys, routes }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const stop = new AbortController();
  if (options.workers !== false) await topicsCheck(outside.kafka, { ...topics, partitions: 2 }).check();
  const workers = options.workers === false ? [] : createWorkers({ config, outside, delivery, metrics, log });
  const running = Promise.all(workers.map((worker) => worker.run(stop.signal, () => undefined)));
  running.catch((error: unknown) => process.stderr.write(`a worker failed: ${String(error)}\n`));

  return {
    outside,
    topics,
    routes,
    registry,
    call: (request: string, body?: string | object, how: CallOptions = {}) =>
      callApi({ base, routes, key: callers[how.as ?? 'default'].key }, request, { body, ...how }),
    async close() {
      stop.abort();
      await running;
      server.closeAllConnections();
      server.close();
      await outside.sink.close();
      await delivery.tally.flush.close();
      for (const closable of outside.close) await closable.close();
    },
  };
}

export type Relayer = Awaited<ReturnType<typeof startRelayer>>;

interface CallOptions {
  readonly as?: 'default' | 'acme' | 'reader';
  readonly headers?: Record<string, string>;
}

/** `request` is a method and a path. */
async function callApi(
  api: {
    readonly base: string;
    readonly routes: Parameters<typeof expectDocumented>[0];
    readonly key: string;
  },
  request: string,
  { body, headers }: CallOptions & { readonly body?: string | object | undefined },
): Promise<ApiAnswer> {
  const [method = 'GET', path = ''] = request.split(' ');
  const response = await fetch(api.base + path, {
    method,
    headers: {
      authorization: `Bearer ${api.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(40_000),
  });
  const text = await response.text();
  const answer = {
    status: response.status,
    headers: response.headers,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
  expectDocumented(api.routes, { method, path }, answer);
  return answer;
}

function newCaller(id: string) {
  return createApiKey(id, randomBytes);
}

function readConfig({ name, variables }: RelayerOptions) {
  const parsed = parseEnvironment(environment, {
    SLUICE_ENV: 'development',
    PG_URL: process.env.PG_URL,
    KAFKA_BROKERS: process.env.KAFKA_BROKERS,
    REDIS_URL: process.env.REDIS_URL,
    SLUICE_EVENTS_TOPIC: `${name}.events`,
    SLUICE_CONSUMER_GROUP: name,
    SLUICE_SECRETS_KEY: randomBytes(32).toString('base64'),
    SLUICE_ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
    SLUICE_POLL_INTERVAL_SECONDS: '0.1',
    SLUICE_DRAIN_SECONDS: '10',
    ...variables,
  });
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  return parsed.config;
}
