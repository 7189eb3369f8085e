import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { createLogger } from '@sluice/service-kit';
import { createApi, createApiKey, createKeyRing } from '@sluice/service-kit/http';
import { createRoutes, type ApiParts } from '../http/routes.js';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface Content {
  readonly body?: unknown;
  readonly headers?: Record<string, string> | undefined;
}

const scopes = ['payments:write', 'payments:read', 'limits:read', 'limits:admin'];

/** ingest's HTTP edge on a free port, as main.ts composes it, and callers with a key for it. */
export async function startIngestApi(parts: ApiParts) {
  const producer = createApiKey('producer');
  const other = createApiKey('other');
  const entries = [producer, other].map(({ entry }) => ({ ...entry, scopes }));
  const listener = createApi({
    name: 'ingest',
    log: createLogger({ service: 'ingest', level: 'silent' }),
    registry: new Registry(),
    keys: createKeyRing(entries, 'production'),
    bodyTimeoutMs: 5000,
    routes: createRoutes(parts),
  });
  const server = createServer({ requestTimeout: 0 }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const authorization = `Bearer ${producer.key}`;

  async function call(method: string, path: string, { body, headers }: Content = {}): Promise<Reply> {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as Record<string, unknown>,
    };
  }

  return {
    url,
    authorization,
    otherAuthorization: `Bearer ${other.key}`,
    call,
    send: (body: unknown, headers?: Record<string, string>) =>
      call('POST', '/api/v1/payments', { body, headers }),
    sendBatch: (payments: readonly unknown[], headers?: Record<string, string>) =>
      call('POST', '/api/v1/payments/batch', { body: { payments }, headers }),
    look: (paymentId: string) => call('GET', `/api/v1/payments/${paymentId}`),
    list: (query: string) => call('GET', `/api/v1/payments?${query}`),
    cancel: (paymentId: string, reason = 'not needed') =>
      call('POST', `/api/v1/payments/${paymentId}/cancel`, { body: { reason } }),
    timeline: (paymentId: string) => call('GET', `/api/v1/payments/${paymentId}/timeline`),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
