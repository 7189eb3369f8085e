import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { Destination } from '@sluice/outbox';
import { judgeFailure, judgeSend, judgeStatus } from '../rail-answers.js';
import type { RailAnswer } from '../rail-answers.js';
import { readRailOrder } from '../rail-instruction.js';

const largestAnswer = 64 * 1024;

const AnswerBody = z.looseObject({
  status: z.string().max(64).optional(),
  code: z.string().max(64).optional(),
  reference: z.string().max(200).optional(),
});

export interface HttpRailOptions {
  readonly url: string;
  /** over the whole answer, connecting included */
  readonly timeoutMs: number;
  /** connections at most */
  readonly connections: number;
}

export interface HttpRail {
  readonly destination: Destination;
  close(): Promise<void>;
}

/** The rail gateway over HTTP. It recognises keys and answers status queries, for every rail behind it. */
export function httpRail({ url, timeoutMs, connections }: HttpRailOptions): HttpRail {
  const dispatcher = new Agent({
    connections,
    pipelining: 1,
    connect: { timeout: Math.min(timeoutMs, 5_000) },
  });
  const call = createCall(dispatcher, timeoutMs);

  const destination: Destination = {
    recognisesKeys: true,
    async send(instruction, signal) {
      const order = readRailOrder(instruction);
      if (order.kind === 'invalid') {
        return { kind: 'terminal', code: 'INVALID_PAYLOAD', message: order.problems };
      }
      try {
        const answer = await call(`${url}/rails/${order.rail}/instructions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': instruction.idempotencyKey },
          body: JSON.stringify(order.body),
          signal,
        });
        return judgeSend(answer);
      } catch (error) {
        return judgeFailure(error);
      }
    },
    async status({ railType, idempotencyKey }, signal) {
      const path = `${url}/rails/${encodeURIComponent(railType)}/instructions/${encodeURIComponent(idempotencyKey)}`;
      try {
        return judgeStatus(await call(path, { method: 'GET', signal }));
      } catch (error) {
        // Whatever went wrong with the question, it says nothing about the instruction.
        return { ...judgeFailure(error), kind: 'unknown' };
      }
    },
  };
  return { destination, close: () => dispatcher.close() };
}

type CallOptions = Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'> & { signal: AbortSignal };

function createCall(dispatcher: Dispatcher, timeoutMs: number) {
  return async (url: string, { signal, ...options }: CallOptions): Promise<RailAnswer> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await request(url, { ...options, signal: limit, dispatcher });
    const body = AnswerBody.safeParse(await readJson(response.body));
    const { status = '', code = '', reference } = body.success ? body.data : {};
    return {
      httpStatus: response.statusCode,
      word: status || code,
      reference,
      retryAfterMs: retryAfterMs(response.headers['retry-after']),
    };
  };
}

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
