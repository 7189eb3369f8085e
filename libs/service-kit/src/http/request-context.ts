import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../log/logger.js';
import type { KitMetrics } from '../metrics.js';

/** What is known of one request while it is answered. */
export interface RequestContext {
  readonly requestId: string;
  readonly log: Logger;
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal;
  /** The pattern of the route, for labels; the path itself has no bounds. */
  route: string;
  callerId: string | undefined;
  /** The code of the problem that was answered, if one was. */
  code: string | undefined;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Takes over or makes the request id, and sees to it that the request is counted and logged when it is over. */
export function openRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { log, metrics }: { log: Logger; metrics: KitMetrics },
): RequestContext {
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  const gone = new AbortController();
  const context: RequestContext = {
    requestId,
    log: log.child({ requestId }),
    signal: gone.signal,
    route: 'unknown',
    callerId: undefined,
    code: undefined,
  };
  response.setHeader('x-request-id', requestId);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('cache-control', 'no-store');

  const startedAt = performance.now();
  metrics.httpInFlight.inc();
  response.once('close', () => {
    gone.abort();
    closeRequest(request, response, { context, metrics, seconds: (performance.now() - startedAt) / 1000 });
  });
  return context;
}

function closeRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { context, metrics, seconds }: { context: RequestContext; metrics: KitMetrics; seconds: number },
): void {
  const { route, callerId, code } = context;
  const method = METHODS.has(request.method ?? '') ? (request.method ?? '') : 'OTHER';
  const status = response.writableFinished ? String(response.statusCode) : 'aborted';
  metrics.httpInFlight.dec();
  metrics.httpRequests.inc({ method, route, status });
  metrics.httpDuration.observe({ method, route }, seconds);
  const path = (request.url ?? '').split('?')[0];
  const line = { method, route, path, status, ms: Math.round(seconds * 1000), caller: callerId, code };
  context.log[response.statusCode >= 500 ? 'error' : 'info'](line, 'request');
}
