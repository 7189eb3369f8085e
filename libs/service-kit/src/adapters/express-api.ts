import type { RequestListener, ServerResponse } from 'node:http';
import express from 'express';
import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import type { Registry } from 'prom-client';
import type { Logger } from '../log/logger.js';
import { createMetrics } from '../metrics.js';
import { answerRequest, sendAnswer } from '../http/answer-request.js';
import type { EdgeLimits } from '../http/answer-request.js';
import type { ApiKeyRing } from '../http/key-ring.js';
import { ProblemError, problemBody, problemOf } from '../http/problem.js';
import { BodyInterruptedError } from '../http/read-body.js';
import { openRequest } from '../http/request-context.js';
import type { RequestContext } from '../http/request-context.js';
import type { Route } from '../http/route.js';
import { strippingObjects } from '../http/strict-objects.js';

export interface ApiOptions {
  readonly name: string;
  readonly log: Logger;
  readonly registry: Registry;
  readonly keys: ApiKeyRing;
  /** Default 256 KiB. */
  readonly bodyLimitBytes?: number;
  /** Time that a caller has for its body, and for the next piece of one that is streamed. Default 30 s. */
  readonly bodyTimeoutMs?: number;
  /** Time that a route has for its answer; after it the caller gets a 503. Default 30 s. */
  readonly handlerTimeoutMs?: number;
  readonly routes: readonly Route[];
}

/**
 * The HTTP edge of a service: whatever comes in, the answer is either the route's or `application/problem+json`.
 * Throws when a route's schema would drop unknown fields instead of refusing them.
 */
export function createApi(options: ApiOptions): RequestListener {
  const { log, routes } = options;
  refuseLaxSchemas(routes);
  if (options.keys.open) {
    log.warn(
      `THE API OF ${options.name.toUpperCase()} IS OPEN: no API keys are set, so everyone is let in with every scope`,
    );
  }
  const limits: EdgeLimits = {
    keys: options.keys,
    bodyLimitBytes: options.bodyLimitBytes ?? 256 * 1024,
    bodyTimeoutMs: options.bodyTimeoutMs ?? 30_000,
    handlerTimeoutMs: options.handlerTimeoutMs ?? 30_000,
  };
  const contexts = new WeakMap<object, RequestContext>();
  const metrics = createMetrics(options.registry);
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').set('query parser', 'simple');
  app.use((request, response, next) => {
    contexts.set(response, openRequest(request, response, { log, metrics }));
    next();
  });
  const contextOf = (response: ServerResponse): RequestContext => {
    const context = contexts.get(response);
    if (context === undefined) throw new Error('the request was not opened');
    return context;
  };
  for (const route of routes) app[route.method](route.path, answerWith(route, limits, contextOf));
  refuseOtherMethods(app, routes, contextOf);
  app.use((request) => {
    throw new ProblemError({
      status: 404,
      code: 'UNKNOWN_PATH',
      title: 'Unknown path',
      detail: `There is nothing at ${request.method} ${request.path.slice(0, 200)}.`,
    });
  });
  app.use(answerError(contextOf));
  return app;
}

function answerWith(
  route: Route,
  limits: EdgeLimits,
  contextOf: (response: ServerResponse) => RequestContext,
): RequestHandler {
  return async (request, response) => {
    const context = contextOf(response);
    context.route = route.path;
    const { params, query } = request;
    await sendAnswer(response, await answerRequest(route, { request, params, query, context }, limits));
  };
}

/** Registered after all routes, so that a fixed path is not hidden by the pattern of another. */
function refuseOtherMethods(
  app: Express,
  routes: readonly Route[],
  contextOf: (response: ServerResponse) => RequestContext,
): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map((route) => route.method.toUpperCase());
    const allow = (methods.includes('GET') ? [...methods, 'HEAD'] : methods).join(', ');
    app.all(path, (request, response) => {
      contextOf(response).route = path;
      throw new ProblemError({
        status: 405,
        code: 'METHOD_NOT_ALLOWED',
        title: 'Method not allowed',
        detail: `${request.method} is not possible here; possible: ${allow}.`,
        headers: { allow },
      });
    });
  }
}

function answerError(contextOf: (response: ServerResponse) => RequestContext): ErrorRequestHandler {
  // eslint-disable-next-line max-params -- express knows an error handler by its four parameters
  return (error: unknown, request, response, _next) => {
    const context = contextOf(response);
    if (error instanceof BodyInterruptedError) {
      response.destroy();
      return;
    }
    const problem = problemOf(error);
    context.code = problem.code;
    if (problem.status >= 500) context.log.error({ err: error }, 'request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // The rest of a body that nobody reads would hold the connection for as long as the caller likes.
    const rest = request.complete ? {} : { connection: 'close' };
    const headers = { ...problem.headers, ...rest, 'content-type': 'application/problem+json' };
    const body = problemBody(problem, context.requestId);
    void sendAnswer(response, { status: problem.status, headers, body });
  };
}

function refuseLaxSchemas(routes: readonly Route[]): void {
  const lax = routes.flatMap(({ method, path, query, body }) =>
    Object.entries({ query, body }).flatMap(([part, schema]) =>
      (schema === undefined ? [] : strippingObjects(schema)).map(
        (place) => `${method} ${path}: ${part} ${place}`,
      ),
    ),
  );
  if (lax.length === 0) return;
  throw new Error(
    `schemas that drop unknown fields; use z.strictObject instead of z.object:\n  ${lax.join('\n  ')}`,
  );
}
