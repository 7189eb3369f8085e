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

export interface BodyLimits {
  readonly limitBytes: number;
  /** A client that sends slowly on purpose holds a connection for so long and no longer. */
  readonly timeoutMs: number;
}

/** The bytes of the body, never more than the limit. */
export function readBody(request: IncomingMessage, { limitBytes, timeoutMs }: BodyLimits): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return Promise.reject(encodedBody(encoding));
  if (Number(request.headers['content-length'] ?? 0) > limitBytes + DISCARD_BYTES) {
    return Promise.reject(bodyTooLarge(limitBytes));
  }
  let timer: NodeJS.Timeout | undefined;
  const body = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs);
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
  return body.finally(() => clearTimeout(timer));
}

interface StreamLimits {
  readonly mediaType: string;
  /** For the next piece. */
  readonly timeoutMs: number;
}

/**
 * The body piece by piece, as fast as it is taken and no faster. What is wrong with its headers is thrown at once; that it
 * breaks off or stops coming is thrown where it is read.
 */
export function readStream(
  request: IncomingMessage,
  { mediaType, timeoutMs }: StreamLimits,
): AsyncIterable<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw encodedBody(encoding);
  const found = request.headers['content-type'] ?? '';
  if (found.split(';')[0]?.trim().toLowerCase() !== mediaType) throw wrongMediaType(mediaType, found);
  return piecesOf(request, timeoutMs);
}

async function* piecesOf(request: IncomingMessage, timeoutMs: number): AsyncGenerator<Buffer> {
  const pieces = request.iterator({ destroyOnReturn: false });
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooSlow(timeoutMs)), timeoutMs);
    });
    try {
      const next: IteratorResult<Buffer, unknown> = await Promise.race([pieces.next(), late]);
      if (next.done === true) return;
      yield next.value;
    } catch (cause) {
      if (cause instanceof ProblemError) throw cause;
      throw new BodyInterruptedError('the body was interrupted', { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

function tooSlow(timeoutMs: number): ProblemError {
  return new ProblemError({
    status: 408,
    code: 'BODY_TOO_SLOW',
    title: 'Body too slow',
    detail: `The body did not come within ${timeoutMs / 1000} s.`,
    headers: { connection: 'close' },
  });
}

function wrongMediaType(expected: string, found: string): ProblemError {
  return new ProblemError({
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
    title: 'Unsupported media type',
    detail: `The content type must be ${expected}, found ${JSON.stringify(found.slice(0, 80))}.`,
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
