import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJsonBody } from './parse-json-body.js';
import { ProblemError } from './problem.js';
import type { ApiKeyRing, Caller } from './key-ring.js';
import { readBody, readStream } from './read-body.js';
import type { RequestContext } from './request-context.js';
import type { Answer, Route } from './route.js';
import { refuseUnused, validate } from './validate.js';

export interface RoutedRequest {
  readonly request: IncomingMessage;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly context: RequestContext;
}

export interface EdgeLimits {
  readonly keys: ApiKeyRing;
  readonly bodyLimitBytes: number;
  /** For a whole body; of a streamed one, for the next piece of it. */
  readonly bodyTimeoutMs: number;
  readonly handlerTimeoutMs: number;
}

/** Who, then what, then the work: nothing of a body is read before the caller is known. */
export async function answerRequest(
  route: Route,
  routed: RoutedRequest,
  limits: EdgeLimits,
): Promise<Answer> {
  const { request, context } = routed;
  const caller = admit(route, request, limits.keys);
  context.callerId = caller.id;
  const params =
    route.params === undefined ? undefined : validate(route.params, { ...routed.params }, 'path');
  const query = readQuery(route, routed.query);
  const incoming = await readIncoming(route, request, limits);

  const limit = AbortSignal.timeout(limits.handlerTimeoutMs);
  // What is streamed may take as long as it goes on coming.
  const signal = route.bodyStream ? context.signal : AbortSignal.any([context.signal, limit]);
  const { requestId, log } = context;
  const { headers } = request;
  const answer = route.handle({ params, query, ...incoming, caller, requestId, log, headers, signal });
  return Promise.race([answer, rejectWhenLate(limit)]);
}

async function readIncoming(route: Route, request: IncomingMessage, limits: EdgeLimits) {
  const { bodyLimitBytes, bodyTimeoutMs: timeoutMs } = limits;
  if (route.bodyStream !== undefined) {
    const stream = readStream(request, { mediaType: route.bodyStream.mediaType, timeoutMs });
    return { body: undefined, bytes: Buffer.alloc(0), stream };
  }
  const bytes = await readBody(request, { limitBytes: route.bodyLimitBytes ?? bodyLimitBytes, timeoutMs });
  return { body: readJson(route, request, bytes), bytes, stream: nothing() };
}

async function* nothing(): AsyncGenerator<Buffer> {}

const PUBLIC: Caller = { id: 'public', scopes: new Set() };

function admit(route: Route, request: IncomingMessage, keys: ApiKeyRing): Caller {
  if (route.scope === 'public') return PUBLIC;
  const admission = keys.admit(request.headers.authorization, route.scope);
  if (admission.kind === 'admitted') return admission.caller;
  if (admission.kind === 'scope-missing') {
    throw new ProblemError({
      status: 403,
      code: 'SCOPE_MISSING',
      title: 'Scope missing',
      detail: `The key of "${admission.caller.id}" does not have the scope "${route.scope}".`,
    });
  }
  const found = admission.kind === 'no-key' ? 'No key was sent' : 'The key is not valid';
  throw new ProblemError({
    status: 401,
    code: 'UNAUTHENTICATED',
    title: 'Not authenticated',
    detail: `${found}. Send the header "Authorization: Bearer slk_…".`,
    headers: { 'www-authenticate': 'Bearer realm="sluice"' },
  });
}

function readQuery(route: Route, query: Readonly<Record<string, unknown>>): unknown {
  if (route.query !== undefined) return validate(route.query, { ...query }, 'query');
  refuseUnused(Object.keys(query), 'query');
  return undefined;
}

function readJson(route: Route, request: IncomingMessage, bytes: Buffer): unknown {
  if (route.body !== undefined) return validate(route.body, parseJsonBody(bytes, request.headers), 'body');
  if (bytes.length === 0) return undefined;
  throw new ProblemError({
    status: 400,
    code: 'BODY_NOT_EXPECTED',
    title: 'Body not expected',
    detail: 'This endpoint takes no body.',
  });
}

function rejectWhenLate(limit: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const late = (): void =>
      reject(
        new ProblemError({
          status: 503,
          code: 'TIMED_OUT',
          title: 'Timed out',
          detail: 'The answer took too long. It is not known whether the request had an effect.',
          headers: { 'retry-after': '5' },
        }),
      );
    limit.addEventListener('abort', late, { once: true });
  });
}

/** Writes the answer: JSON, unless the route made bytes, text of a type that it named itself, or pieces. */
export async function sendAnswer(response: ServerResponse, answer: Answer): Promise<void> {
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  response.statusCode = answer.status;
  if (answer.body === undefined) {
    response.end();
    return;
  }
  const { body } = answer;
  if (isPieces(body)) {
    await sendPieces(response, body);
    return;
  }
  const isText = typeof body === 'string' && response.hasHeader('content-type');
  const payload = Buffer.isBuffer(body) || isText ? body : JSON.stringify(body);
  if (!response.hasHeader('content-type')) {
    response.setHeader(
      'content-type',
      Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json',
    );
  }
  response.setHeader('content-length', Buffer.byteLength(payload));
  response.end(payload);
}

function isPieces(body: unknown): body is AsyncIterable<string | Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/**
 * A caller may read nothing before it has sent everything. To wait for it to read while its body comes in would be to wait
 * for each other for ever, so that only afterwards its pace is kept.
 */
async function sendPieces(
  response: ServerResponse,
  pieces: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  response.flushHeaders();
  for await (const piece of pieces) {
    const isRoom = response.write(piece);
    if (!isRoom && response.req.complete && !response.destroyed) await drained(response);
    if (response.destroyed) return;
  }
  response.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}
