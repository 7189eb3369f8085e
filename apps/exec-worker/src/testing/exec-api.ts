import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { createLogger, systemClock as clock } from '@sluice/service-kit';
import { createApi, createApiKey, createKeyRing } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { pgCircuitModes } from '../adapters/pg-circuit-modes.js';
import { pgExecutions } from '../adapters/pg-executions.js';
import { pgPaymentStatuses } from '../adapters/pg-payment-statuses.js';
import { createRoutes } from '../http/routes.js';
import type { RailBoard } from '../rails/rail-board.js';
import type { RailBench } from './rail-bench.js';

export interface ApiAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export type Call = (request: string, body?: unknown) => Promise<ApiAnswer>;

export interface ExecApi {
  /** `request` is a method and a path below /api/v1 */
  readonly asOperator: Call;
  readonly asReader: Call;
  readonly asRail: Call;
  readonly asStranger: Call;
  close(): Promise<void>;
}

/**
 * The API on a real port and the tables of a bench. Every answer is compared with what the route's documentation promises, so
 * that the OpenAPI document cannot lie.
 */
export async function startExecApi(bench: RailBench, board: RailBoard): Promise<ExecApi> {
  const { pool, payments, outbox } = bench;
  const routes = createRoutes({
    outbox,
    executions: pgExecutions({ pool, payments, outbox }),
    statusesOf: pgPaymentStatuses(pool, payments),
    board,
    modes: pgCircuitModes(pool),
    clock,
  });
  const keys = {
    operator: { ...createApiKey('operator'), scopes: ['outbox:read', 'outbox:admin'] },
    reader: { ...createApiKey('reader'), scopes: ['outbox:read'] },
    rail: { ...createApiKey('rail-gateway'), scopes: ['rails:notify'] },
    stranger: { ...createApiKey('stranger'), scopes: ['payments:read'] },
  };
  const ring = createKeyRing(
    Object.values(keys).map(({ entry, scopes }) => ({ ...entry, scopes })),
    'production',
  );
  const log = createLogger({ service: 'exec-worker', level: 'silent' });
  const api = createApi({ name: 'exec-worker', log, registry: new Registry(), keys: ring, routes });
  const server = createServer(api);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;

  const callAs =
    (key: string): Call =>
    async (request, body) => {
      const [method = 'GET', path = ''] = request.split(' ');
      const response = await fetch(`${base}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(10_000),
      });
      const answer = { status: response.status, body: (await response.json()) as Record<string, unknown> };
      expectDocumented(routes, { method, path: `/api/v1${path}` }, answer);
      return answer;
    };

  return {
    asOperator: callAs(keys.operator.key),
    asReader: callAs(keys.reader.key),
    asRail: callAs(keys.rail.key),
    asStranger: callAs(keys.stranger.key),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const edgeStatuses = new Set([400, 401, 403, 413, 415, 422]);

function expectDocumented(
  routes: readonly Route[],
  request: { readonly method: string; readonly path: string },
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
