import type { Closable } from '@sluice/service-kit';
import { Agent, buildConnector, request } from 'undici';
import type { Dispatcher } from 'undici';
import type { AddressPolicy } from '../address-policy.js';
import type { SendFailure, WebhookSender } from '../delivery-ports.js';
import { createDnsCache, systemResolve } from './dns-cache.js';
import type { Resolve } from './dns-cache.js';
import { assertLiteralPermitted, createGuardedLookup } from './guarded-dns.js';

export interface HttpSenderOptions {
  readonly policy: AddressPolicy;
  /** One deadline over the connection, the headers and the body. */
  readonly timeoutMs: number;
  /** Connections to one origin; many subscriptions may share it, and a queue inside the pool would eat up the deadline. */
  readonly maxSockets: number;
  readonly maxResponseBytes?: number;
  readonly resolve?: Resolve;
}

export function createHttpSender(options: HttpSenderOptions): WebhookSender & Closable {
  const agent = new Agent({
    connections: options.maxSockets,
    pipelining: 1,
    connect: guardedConnector(options),
    // The deadline below is the only clock: these two count from the last byte and can be fed drop by drop.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const maxBytes = options.maxResponseBytes ?? 4_096;

  return {
    name: 'webhook sender',
    async send(webhook, stop) {
      const started = performance.now();
      const elapsed = (): number => performance.now() - started;
      const deadline = AbortSignal.timeout(options.timeoutMs);
      const signal = AbortSignal.any([deadline, stop]);
      const post = { ...webhook, dispatcher: agent, signal, maxBytes };
      try {
        const answer = await exchange(post).catch((error: unknown) => {
          if (signal.aborted || !wasClosedAtOnce(error, elapsed())) throw error;
          return exchange(post);
        });
        return { kind: 'response', ...answer, durationMs: elapsed() };
      } catch (error) {
        if (stop.aborted && !deadline.aborted) return { kind: 'interrupted', durationMs: elapsed() };
        return { kind: 'failure', ...describeFailure(error, deadline), durationMs: elapsed() };
      }
    },
    close: () => agent.destroy(),
  };
}

interface Post {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  readonly dispatcher: Agent;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
}

async function exchange({ url, headers, body, dispatcher, signal, maxBytes }: Post) {
  // undici follows no redirect unless told to; a 3xx is an answer like any other.
  const response = await request(url, { dispatcher, method: 'POST', headers, body, signal });
  const text = await readBeginning(response.body, maxBytes);
  const retryAfter = [response.headers['retry-after']].flat()[0];
  return { status: response.statusCode, retryAfter, ...text };
}

const CLOSED_CODES = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const AT_ONCE_MS = 1_000;

/**
 * An endpoint may close a connection that it thinks idle at the very moment in which we use it again. That says nothing about
 * the endpoint, so a connection that was closed at once and without a byte of an answer is worth one more.
 */
function wasClosedAtOnce(error: unknown, elapsedMs: number): boolean {
  return elapsedMs < AT_ONCE_MS && CLOSED_CODES.has(errorCode(error));
}

function guardedConnector({ policy, timeoutMs, resolve }: HttpSenderOptions): buildConnector.connector {
  // undici hands its options on to `net.connect`, which is where the lookup belongs; its types do not say so.
  const socketOptions = {
    lookup: createGuardedLookup(policy, createDnsCache({ resolve: resolve ?? systemResolve })),
  } as buildConnector.BuildOptions;
  const connect = buildConnector({ ...socketOptions, allowH2: false, timeout: timeoutMs });
  return (target, callback) => {
    try {
      assertLiteralPermitted(target.hostname, policy);
    } catch (error) {
      callback(error instanceof Error ? error : new Error('refused', { cause: error }), null);
      return;
    }
    connect(target, callback);
  };
}

/** Reads so much of the answer and drops the rest. Once there is a status, a body that fails is only a note. */
async function readBeginning(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
): Promise<{ body: string; note?: string }> {
  const chunks: Buffer[] = [];
  let size = 0;
  let note: string | undefined;
  try {
    for await (const chunk of body) {
      const bytes = Buffer.from(chunk as Uint8Array);
      chunks.push(bytes.subarray(0, maxBytes - size));
      size += bytes.length;
      if (size > maxBytes) {
        note = `only the first ${maxBytes} bytes were read`;
        break;
      }
    }
  } catch {
    note = 'the body was not received whole';
  }
  body.on('error', () => undefined).destroy();
  const text = storableText(Buffer.concat(chunks));
  return note === undefined ? { body: text } : { body: text, note };
}

/** Answers are a stranger's bytes: PostgreSQL's text takes no NUL, and what is not UTF-8 becomes a replacement sign. */
function storableText(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', '\uFFFD');
}

const DNS_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'EAI_NONAME']);
const TIMEOUT_CODES = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO)/;

function describeFailure(error: unknown, deadline: AbortSignal): { code: SendFailure; detail: string } {
  const detail = errorCode(error);
  if (deadline.aborted || TIMEOUT_CODES.has(detail)) return { code: 'TIMEOUT', detail: 'no answer in time' };
  if (detail === 'ADDRESS_REFUSED')
    return { code: 'ADDRESS_REFUSED', detail: 'the address may not be reached' };
  if (DNS_CODES.has(detail)) return { code: 'DNS', detail };
  if (TLS_CODE.test(detail)) return { code: 'TLS', detail };
  return { code: 'CONNECTION', detail };
}

/** With several addresses tried, the error is a bundle; the first one speaks for it. */
function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'UNKNOWN';
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0)
    return errorCode(error.errors[0]);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return 'name' in error && typeof error.name === 'string' ? error.name : 'UNKNOWN';
}
