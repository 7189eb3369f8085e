import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { Rail as RailName } from '@sluice/payments';
import type { NoAnswer, Rail, RailAnswer, RailCapabilities } from '../rails/rail.js';

const largestAnswer = 64 * 1024;

const AnswerBody = z.looseObject({
  status: z.string().max(64).optional(),
  code: z.string().max(64).optional(),
  reference: z.string().max(200).optional(),
});

export interface HttpGatewayOptions {
  readonly url: string;
  /** over the whole answer, its last byte included, and the way there */
  readonly timeoutMs: number;
  /** connections at most */
  readonly connections: number;
}

export interface HttpGateway {
  rail(name: RailName, capabilities: RailCapabilities): Rail;
  close(): Promise<void>;
}

/** The rail gateway over HTTP: `POST /rails/{rail}/instructions`, `GET /rails/{rail}/instructions/{key}`. */
export function httpGateway({ url, timeoutMs, connections }: HttpGatewayOptions): HttpGateway {
  const dispatcher = new Agent({
    connections,
    pipelining: 1,
    connect: { timeout: Math.min(timeoutMs, 5_000) },
  });
  const call = createCall(dispatcher, timeoutMs);
  return {
    rail(name, capabilities) {
      const instructions = `${url}/rails/${name}/instructions`;
      return {
        name,
        capabilities,
        send: ({ key, body }, signal) =>
          call(instructions, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'idempotency-key': key },
            body: JSON.stringify(body),
            signal,
          }),
        ...(capabilities.answersStatus && {
          status: (key: string, signal: AbortSignal) =>
            call(`${instructions}/${encodeURIComponent(key)}`, { method: 'GET', signal }),
        }),
      };
    },
    close: () => dispatcher.close(),
  };
}

type CallOptions = Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'> & { signal: AbortSignal };

function createCall(dispatcher: Dispatcher, timeoutMs: number) {
  return async (url: string, { signal, ...options }: CallOptions): Promise<RailAnswer | NoAnswer> => {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await request(url, {
        ...options,
        signal: AbortSignal.any([signal, limit]),
        dispatcher,
      });
      const parsed = AnswerBody.safeParse(await readJson(response.body));
      const { status = '', code = '', reference } = parsed.success ? parsed.data : {};
      return {
        httpStatus: response.statusCode,
        word: status || code,
        reference,
        retryAfterMs: retryAfterMs(response.headers['retry-after']),
      };
    } catch (error) {
      if (limit.aborted) return { failure: 'RAIL_TIMEOUT' };
      return { failure: signal.aborted ? 'RAIL_CALL_ABORTED' : codeOf(error) };
    }
  };
}

/** Undefined for what is no JSON, and for more than an answer may be: such a body says nothing. */
async function readJson(body: AsyncIterable<Buffer>): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > largestAnswer) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function retryAfterMs(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined;
}

function codeOf(error: unknown): string {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code !== '' ? code : 'RAIL_CALL_FAILED';
}
