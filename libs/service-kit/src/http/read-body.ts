import type { IncomingMessage } from 'node:http';
import { ProblemError } from './problem.js';

/** Thrown when the caller went away before its body was complete: there is nobody left to answer. */
export class BodyInterruptedError extends Error {
  override readonly name = 'BodyInterruptedError';
  readonly code = 'BODY_INTERRUPTED';
}

// So much of a body that is too large is still read and thrown away: a client that is cut off while it sends sees a
// broken connection instead of the answer.
const DISCARD_BYTES = 1024 * 1024;

/** The bytes of the body, never more than the limit. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return Promise.reject(encodedBody(encoding));
  if (Number(request.headers['content-length'] ?? 0) > limitBytes + DISCARD_BYTES) {
    return Promise.reject(bodyTooLarge(limitBytes));
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limitBytes) chunks.push(chunk);
      else if (size > limitBytes + DISCARD_BYTES) reject(bodyTooLarge(limitBytes));
    });
    request.on('end', () =>
      size <= limitBytes ? resolve(Buffer.concat(chunks)) : reject(bodyTooLarge(limitBytes)),
    );
    request.on('error', (cause) => reject(new BodyInterruptedError('the body was interrupted', { cause })));
    request.on('close', () => reject(new BodyInterruptedError('the body was interrupted')));
  });
}

function bodyTooLarge(limitBytes: number): ProblemError {
  return new ProblemError({
    status: 413,
    code: 'BODY_TOO_LARGE',
    title: 'Body too large',
    detail: `The body may have at most ${limitBytes} bytes.`,
    headers: { connection: 'close' },
  });
}

function encodedBody(encoding: string): ProblemError {
  return new ProblemError({
    status: 415,
    code: 'UNSUPPORTED_ENCODING',
    title: 'Unsupported content encoding',
    detail: `The body must come as it is, found the content encoding ${JSON.stringify(encoding.slice(0, 40))}.`,
  });
}
