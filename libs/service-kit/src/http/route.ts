import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Logger } from '../log/logger.js';
import type { Caller } from './key-ring.js';

export interface Answer {
  status: number;
  /** Sent as JSON, except bytes, and text whose `content-type` is given in the headers. */
  body?: unknown;
  headers?: Record<string, string>;
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface RouteInput<P, Q, B> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** The very bytes that came in. */
  readonly bytes: Buffer;
  readonly caller: Caller;
  readonly requestId: string;
  readonly log: Logger;
  readonly headers: IncomingHttpHeaders;
  /** Aborts when the caller has gone away or the time for the answer is over. */
  readonly signal: AbortSignal;
}

export interface RouteDefinition<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly method: Method;
  /** In express's manner: `/items/:id`. */
  readonly path: string;
  /** What the caller's key must allow; `public` needs no key. */
  readonly scope: string;
  readonly summary: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  handle(input: RouteInput<z.infer<P>, z.infer<Q>, z.infer<B>>): Promise<Answer>;
}

/** A route whose handler's types are no longer visible; made by `route` only. */
export interface Route {
  readonly method: Method;
  readonly path: string;
  readonly scope: string;
  readonly summary: string;
  readonly params: z.ZodType | undefined;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  handle(input: RouteInput<unknown, unknown, unknown>): Promise<Answer>;
}

/** One endpoint. Without a schema for it, a path parameter, a query or a body is `undefined` in the handler. */
export function route<
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(definition: RouteDefinition<P, Q, B>): Route {
  return {
    method: definition.method,
    path: definition.path,
    scope: definition.scope,
    summary: definition.summary,
    params: definition.params,
    query: definition.query,
    body: definition.body,
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the edge hands over only what these schemas parsed
    handle: (input) => definition.handle(input as RouteInput<z.infer<P>, z.infer<Q>, z.infer<B>>),
  };
}
