import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseJsonBody } from './parse-json-body.js';
import { ProblemError } from './problem.js';
import type { ApiKeyRing, Caller } from './key-ring.js';
import { readBody } from './read-body.js';
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
  const bytes = await readBody(request, limits.bodyLimitBytes);
  const body = readJson(route, request, bytes);

  const limit = AbortSignal.timeout(limits.handlerTimeoutMs);
  const signal = AbortSignal.any([context.signal, limit]);
  const { requestId, log } = context;
  const { headers } = request;
  const answer = route.handle({ params, query, body, bytes, caller, requestId, log, headers, signal });
  return Promise.race([answer, rejectWhenLate(limit)]);
}

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

/** Writes the answer: JSON, unless the route made bytes, or text of a type that it named itself. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  response.statusCode = answer.status;
  if (answer.body === undefined) {
    response.end();
    return;
  }
  const { body } = answer;
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
