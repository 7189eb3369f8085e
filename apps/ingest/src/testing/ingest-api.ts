import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import { Registry } from 'prom-client';
import { createLogger } from '@sluice/service-kit';
import { createApi, createApiKey, createKeyRing } from '@sluice/service-kit/http';
import { createAcceptPayment } from '../accept-payment.js';
import { temporalInitWorkflows } from '../adapters/temporal-init-workflows.js';
import { createRoutes } from '../http/routes.js';
import { createMetrics } from '../metrics.js';
import type { Payments } from '../ports.js';
import { createViewPayment } from '../view-payment.js';

interface Parts {
  readonly client: Client;
  readonly payments: Payments;
  readonly taskQueue: string;
  readonly timeoutMs: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** ingest's HTTP edge on a free port, as main.ts composes it, and a caller with a key for it. */
export async function startIngestApi({ client, payments, taskQueue, timeoutMs }: Parts) {
  const registry = new Registry();
  const workflows = temporalInitWorkflows({ client, taskQueue, timeoutMs });
  const { key, entry } = createApiKey('producer');
  const listener = createApi({
    name: 'ingest',
    log: createLogger({ service: 'ingest', level: 'silent' }),
    registry,
    keys: createKeyRing([{ ...entry, scopes: ['payments:write', 'payments:read'] }], 'production'),
    routes: createRoutes({
      acceptPayment: createAcceptPayment({ payments, workflows, metrics: createMetrics(registry) }),
      viewPayment: createViewPayment({ payments, workflows }),
    }),
  });
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  async function call(method: string, path: string, body?: unknown): Promise<Reply> {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      headers: answer.headers,
      body: (await answer.json()) as Record<string, unknown>,
    };
  }

  return {
    send: (body: unknown) => call('POST', '/api/v1/payments', body),
    look: (paymentId: string) => call('GET', `/api/v1/payments/${paymentId}`),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
