import type { Closable } from '@sluice/service-kit';
import { Agent, buildConnector, request } from 'undici';
import type { Dispatcher } from 'undici';
import type { AddressPolicy } from '../address-policy.js';
import type { SendFailure, WebhookSender } from '../ports.js';
import { assertLiteralPermitted, createGuardedLookup } from './guarded-dns.js';

export interface HttpSenderOptions {
  readonly policy: AddressPolicy;
  /** One deadline over the connection, the headers and the body. */
  readonly timeoutMs: number;
  readonly connectionsPerOrigin: number;
  readonly maxResponseBytes?: number;
}

export function createHttpSender(options: HttpSenderOptions): WebhookSender & Closable {
  const agent = new Agent({
    connections: options.connectionsPerOrigin,
    pipelining: 1,
    connect: guardedConnector(options),
    // The deadline below is the only clock: these two count from the last byte and can be fed drop by drop.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const maxBytes = options.maxResponseBytes ?? 16_384;

  return {
    name: 'webhook sender',
    async send({ url, headers, body }, stop) {
      const started = performance.now();
      const elapsed = (): number => performance.now() - started;
      const deadline = AbortSignal.timeout(options.timeoutMs);
      const signal = AbortSignal.any([deadline, stop]);
      try {
        // undici follows no redirect unless told to; a 3xx is an answer like any other.
        const response = await request(url, { dispatcher: agent, method: 'POST', headers, body, signal });
        const text = await readBeginning(response.body, maxBytes);
        const retryAfter = [response.headers['retry-after']].flat()[0];
        return { kind: 'response', status: response.statusCode, retryAfter, ...text, durationMs: elapsed() };
      } catch (error) {
        if (stop.aborted && !deadline.aborted) return { kind: 'interrupted', durationMs: elapsed() };
        return { kind: 'failure', ...describeFailure(error, deadline), durationMs: elapsed() };
      }
    },
    close: () => agent.destroy(),
  };
}

function guardedConnector({ policy, timeoutMs }: HttpSenderOptions): buildConnector.connector {
  // undici hands its options on to `net.connect`, which is where the lookup belongs; its types do not say so.
  const socketOptions = { lookup: createGuardedLookup(policy) } as buildConnector.BuildOptions;
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
