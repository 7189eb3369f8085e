import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { createPgRateConfigStore, createPgSlotStore } from '@sluice/rate-window';
import { createLogger } from '@sluice/service-kit';
import { createApi, createApiKey, createKeyRing } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import type { Pool } from '@sluice/service-kit/pg';
import { createPgAnnouncements } from '../adapters/pg-announcements.js';
import { cacheConfigs } from '../cache-configs.js';
import { createRoutes } from '../http/routes.js';
import { createMetrics } from '../metrics.js';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface NodeApi {
  /** `request` is a method and a path. Without a key the caller may do everything. */
  call(request: string, options?: { body?: unknown; key?: string; signal?: AbortSignal }): Promise<ApiAnswer>;
  /** The sum of a metric, as it is exposed, over all its labels. */
  metric(name: string): Promise<number>;
  close(): void;
}

const everything = ['slots:write', 'slots:read', 'rate-limit:admin', 'rate-limit:read'];
const operator = createApiKey('operator');
const producers = {
  producer: createApiKey('producer'),
  neighbour: createApiKey('neighbour'),
  reader: createApiKey('reader'),
};

/** Keys of callers that may not do everything. */
export const keys = {
  producer: producers.producer.key,
  neighbour: producers.neighbour.key,
  reader: producers.reader.key,
};

/**
 * One node's API on a real port and a real database. Every answer is compared with what the route's documentation
 * promises, so that the OpenAPI document cannot lie.
 */
export async function startNodeApi(
  pool: Pool,
  limits: { events?: number; eventsOfCaller?: number; waitMs?: number } = {},
): Promise<NodeApi> {
  const log = createLogger({ service: 'test', level: 'fatal' });
  const registry = new Registry();
  const observer = createMetrics(registry);
  const store = {
    slots: createPgSlotStore(pool),
    configs: createPgRateConfigStore(pool),
    announcements: createPgAnnouncements(pool),
  };
  const configs = cacheConfigs({
    configs: store.configs,
    ttlMs: 5_000,
    now: () => performance.now(),
    observer,
  });
  const routes = createRoutes({
    ...{ store, configs, observer, log, defaultConfig: 'default' },
    limits: { events: 20_000, eventsOfCaller: 10_000, waitMs: 20_000, ...limits },
  });
  const ring = createKeyRing(
    [
      { ...operator.entry, scopes: everything },
      { ...producers.producer.entry, scopes: ['slots:write'] },
      { ...producers.neighbour.entry, scopes: ['slots:write'] },
      { ...producers.reader.entry, scopes: ['slots:read', 'rate-limit:read'] },
    ],
    'production',
  );
  const server = createServer(createApi({ name: 'test', log, registry, keys: ring, routes }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    async call(request, { body, key = operator.key, signal = AbortSignal.timeout(60_000) } = {}) {
      const [method = 'GET', path = ''] = request.split(' ');
      const response = await fetch(`${base}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal,
      });
      const answer = {
        status: response.status,
        headers: response.headers,
        body: (await response.json()) as Record<string, unknown>,
      };
      expectDocumented(routes, { method, path }, answer);
      return answer;
    },
    async metric(name) {
      const lines = (await registry.metrics()).split('\n');
      const samples = lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
      return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const edgeStatuses = new Set([400, 401, 403, 413, 415, 422]);

function expectDocumented(
  routes: readonly Route[],
  request: { method: string; path: string },
  answer: ApiAnswer,
): void {
  const pathname = request.path.split('?')[0] ?? '';
  const found = routes.find(
    ({ method, path }) =>
      method === request.method.toLowerCase() &&
      new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname),
  );
  if (!found) throw new Error(`no route for ${request.method} ${request.path}`);
  const documented = found.answers?.[answer.status];
  if (documented) {
    documented.schema?.parse(answer.body);
    return;
  }
  const isKnown = found.problems?.some(
    ({ status, code }) => status === answer.status && code === answer.body['code'],
  );
  if (!isKnown && !edgeStatuses.has(answer.status)) {
    throw new Error(`${found.method} ${found.path} does not document ${JSON.stringify(answer)}`);
  }
}
