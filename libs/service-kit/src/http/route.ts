import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import type { Logger } from '../log/logger.js';
import type { Caller } from './key-ring.js';

export interface Answer {
  status: number;
  /**
   * Sent as JSON, except bytes, and text whose `content-type` is given in the headers. What comes piece by piece (an async
   * iterable) is sent as it comes; it has to bound itself, since a caller may read nothing before it has sent everything.
   */
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
  /** The body as it comes in, for a route with `bodyStream`; what is not taken is not read from the connection. */
  readonly stream: AsyncIterable<Buffer>;
  readonly caller: Caller;
  readonly requestId: string;
  readonly log: Logger;
  readonly headers: IncomingHttpHeaders;
  /** Aborts when the caller has gone away or the time for the answer is over. */
  readonly signal: AbortSignal;
}

/** An answer of a route, for its documentation. */
export interface DocumentedAnswer {
  readonly description: string;
  /** The body as it is sent: what JSON makes of it. */
  readonly schema?: z.ZodType;
  /** If it is not JSON. */
  readonly mediaType?: string;
}

/** A problem that a route itself answers with; those of the edge (keys, schemas, sizes) are known. */
export interface DocumentedProblem {
  readonly status: number;
  readonly code: string;
  /** When it comes. */
  readonly description: string;
}

/** What only the documentation of a route needs. */
export interface RouteDocumentation {
  readonly description?: string;
  readonly answers?: Readonly<Record<number, DocumentedAnswer>>;
  readonly problems?: readonly DocumentedProblem[];
  /** Request headers that mean something to the route, and what. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A body of any length that is handed over as it comes in. */
export interface StreamedBody {
  /** The content type that it must have. */
  readonly mediaType: string;
  /** One piece of it, for the documentation. */
  readonly item: z.ZodType;
}

export interface RouteDefinition<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
> extends RouteDocumentation {
  readonly method: Method;
  /** In express's manner: `/items/:id`. */
  readonly path: string;
  /** What the caller's key must allow; `public` needs no key. */
  readonly scope: string;
  readonly summary: string;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Instead of `body`. */
  readonly bodyStream?: StreamedBody;
  /** Instead of the API's own limit. */
  readonly bodyLimitBytes?: number;
  handle(input: RouteInput<z.infer<P>, z.infer<Q>, z.infer<B>>): Promise<Answer>;
}

/** A route whose handler's types are no longer visible; made by `route` only. */
export interface Route extends RouteDocumentation {
  readonly method: Method;
  readonly path: string;
  readonly scope: string;
  readonly summary: string;
  readonly params: z.ZodType | undefined;
  readonly query: z.ZodType | undefined;
  readonly body: z.ZodType | undefined;
  readonly bodyStream?: StreamedBody;
  readonly bodyLimitBytes?: number;
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
    ...(definition.description === undefined ? {} : { description: definition.description }),
    ...(definition.answers === undefined ? {} : { answers: definition.answers }),
    ...(definition.problems === undefined ? {} : { problems: definition.problems }),
    ...(definition.headers === undefined ? {} : { headers: definition.headers }),
    ...(definition.bodyStream === undefined ? {} : { bodyStream: definition.bodyStream }),
    ...(definition.bodyLimitBytes === undefined ? {} : { bodyLimitBytes: definition.bodyLimitBytes }),
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the edge hands over only what these schemas parsed
    handle: (input) => definition.handle(input as RouteInput<z.infer<P>, z.infer<Q>, z.infer<B>>),
  };
}
