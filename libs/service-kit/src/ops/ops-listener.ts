import type { RequestListener, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import type { Heartbeats } from './heartbeats.js';
import type { Readiness } from './readiness.js';

export type ServiceState = 'starting' | 'running' | 'draining';

export interface OpsOptions {
  readonly registry: Registry;
  readonly heartbeats: Heartbeats;
  readonly state: () => ServiceState;
  /** Undefined until the service has been composed. */
  readonly readiness: () => Readiness | undefined;
}

/** `/healthz`, `/readyz` and `/metrics`, for the ops port. */
export function createOpsListener(options: OpsOptions): RequestListener {
  const pages: Record<string, (response: ServerResponse) => Promise<void> | void> = {
    '/healthz': (response) => answerHealth(options, response),
    '/readyz': (response) => answerReadiness(options, response),
    '/metrics': (response) => answerMetrics(options, response),
  };
  return (request, response) => {
    const page = pages[(request.url ?? '').split('?')[0] ?? ''];
    if (page === undefined)
      return sendJson(response, 404, { status: 'unknown path', paths: Object.keys(pages) });
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return sendJson(response, 405, { status: 'method not allowed' });
    }
    Promise.resolve(page(response)).catch(() => {
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { status: 'the page could not be made' });
    });
  };
}

/** Touches no dependency: a restart does not mend a database. While draining, a worker that no longer beats is no fault. */
function answerHealth({ heartbeats, state }: OpsOptions, response: ServerResponse): void {
  const workers = heartbeats.read();
  const healthy = state() === 'draining' || workers.every(({ ok }) => ok);
  sendJson(response, healthy ? 200 : 503, {
    status: healthy ? 'healthy' : 'unhealthy',
    state: state(),
    workers,
  });
}

async function answerReadiness({ state, readiness }: OpsOptions, response: ServerResponse): Promise<void> {
  const current = state();
  if (current !== 'running') return sendJson(response, 503, { status: current, dependencies: [] });
  const dependencies = (await readiness()?.check()) ?? [];
  // The state may have changed while the dependencies were asked.
  const ready = state() === 'running' && dependencies.every(({ ok, optional }) => ok || optional);
  sendJson(response, ready ? 200 : 503, { status: ready ? 'ready' : 'not ready', dependencies });
}

async function answerMetrics(options: OpsOptions, response: ServerResponse): Promise<void> {
  options.heartbeats.read();
  if (options.state() === 'running') await options.readiness()?.check();
  const text = await options.registry.metrics();
  response.writeHead(200, { 'content-type': options.registry.contentType }).end(text);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}
