import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { createPgQueue } from '@sluice/queue-core';
import { createLogger } from '@sluice/service-kit';
import { createApi, createApiKey, createKeyRing } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { connectPg } from '@sluice/service-kit/pg';
import { createRoutes } from '../http/routes.js';
import type { DispatchSchedules } from '../ports.js';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/**
 * The admin API on a real port and a real database; Temporal is a stand-in that says what it is told. Every answer is
 * compared with what the route's documentation promises, so that the OpenAPI document cannot lie.
 */
export async function startAdminApi(pgUrl: string) {
  const log = createLogger({ service: 'test', level: 'fatal' });
  const pool = connectPg({ url: pgUrl, applicationName: 'test', log });
  const queue = createPgQueue(pool);
  const temporal = { answer: 'triggered' as Awaited<ReturnType<DispatchSchedules['trigger']>>, asked: [''] };
  temporal.asked = [];
  const schedules = {
    trigger: async (scheduleId: string) => {
      temporal.asked.push(scheduleId);
      return temporal.answer;
    },
  };
  const routes = createRoutes({ queue, schedules, schedulePrefix: 'test-' });
  const reader = createApiKey('reader', randomBytes);
  const admin = createApiKey('admin', randomBytes);
  const keys = createKeyRing(
    [
      { ...reader.entry, scopes: ['dispatch:read'] },
      { ...admin.entry, scopes: ['dispatch:read', 'dispatch:admin'] },
    ],
    'production',
  );
  const server = createServer(createApi({ name: 'test', log, registry: new Registry(), keys, routes }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function call(key: string, request: string, body?: unknown): Promise<ApiAnswer> {
    const [method = 'GET', path = ''] = request.split(' ');
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
    const answer = {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, unknown>,
    };
    expectDocumented(routes, { method, path }, answer);
    return answer;
  }

  const prefix = '/api/v1/dispatch';
  const withPrefix = (request: string) => request.replace(' ', ` ${prefix}`);
  return {
    pool,
    queue,
    temporal,
    routes,
    base,
    /** `request` is a method and a path below /api/v1/dispatch. */
    asAdmin: (request: string, body?: unknown) => call(admin.key, withPrefix(request), body),
    asReader: (request: string, body?: unknown) => call(reader.key, withPrefix(request), body),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await pool.end();
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
