import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';

/** One request and its answer. `stopping` aborts when the process is told to stop. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly stopping: AbortSignal;
}

/** Thrown where a request cannot be served; becomes the answer `{ code, detail }` with this status. */
export class RequestProblem extends Error {
  override readonly name = 'RequestProblem';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

export const maxBodyBytes = 1024 * 1024;

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const incoming: AsyncIterable<Buffer> = request;
  const chunks: Buffer[] = [];
  let size = 0;
  // A body that is too large is read to its end all the same: closing early would hide the answer from the sender.
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size <= maxBodyBytes) chunks.push(chunk);
  }
  if (size > maxBodyBytes) {
    throw new RequestProblem(
      413,
      'BODY_TOO_LARGE',
      `the body has ${size} bytes, at most ${maxBodyBytes} are taken`,
    );
  }
  return Buffer.concat(chunks);
}

export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new RequestProblem(400, 'NOT_JSON', 'the body is not JSON');
  }
}

/** All problems of a refused input in one sentence: `1.every: expected number, received string; …`. */
export function describeIssues(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; ');
}

export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

export async function sendLines(response: ServerResponse, lines: AsyncIterable<unknown>): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  await pipeline(Readable.from(asNdjson(lines)), response);
}

async function* asNdjson(lines: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

/** Waits; rejects when the process is told to stop. */
export async function delay(ms: number | undefined, { stopping }: Exchange): Promise<void> {
  if (ms !== undefined && ms > 0) await sleep(ms, undefined, { signal: stopping });
}

/** Never answers: returns when the other side has gone, rejects when the process is told to stop. */
export async function staySilent({ response, stopping }: Exchange): Promise<void> {
  if (!response.destroyed) await once(response, 'close', { signal: stopping });
}
