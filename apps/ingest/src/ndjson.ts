/** One line of an upload; numbers begin with 1. */
export type Line = { readonly number: number } & (
  { readonly kind: 'json'; readonly value: unknown } | { readonly kind: 'blank' | 'not-json' | 'too-long' }
);

/** Longer than any payment; what is longer is passed over without being kept. */
const longestLine = 64 * 1024;
const newline = 0x0a;

/** Lines of newline-delimited JSON out of pieces that end anywhere. */
export async function* linesOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let kept: Buffer[] = [];
  let size = 0;
  let number = 0;
  const take = (part: Buffer): void => {
    size += part.length;
    if (size <= longestLine) kept.push(part);
    else kept = [];
  };
  const finish = (): Line => {
    number += 1;
    const line: Line =
      size > longestLine ? { number, kind: 'too-long' } : { number, ...readLine(Buffer.concat(kept)) };
    [kept, size] = [[], 0];
    return line;
  };

  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(newline); end >= 0; end = piece.indexOf(newline, start)) {
      take(piece.subarray(start, end));
      yield finish();
      start = end + 1;
    }
    take(piece.subarray(start));
  }
  if (size > 0) yield finish();
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readLine(bytes: Buffer): { kind: 'json'; value: unknown } | { kind: 'blank' | 'not-json' } {
  try {
    const text = utf8.decode(bytes).trim();
    if (text === '') return { kind: 'blank' };
    const value: unknown = JSON.parse(text);
    return { kind: 'json', value };
  } catch {
    return { kind: 'not-json' };
  }
}

/** Groups of up to `size`, until there is no more or the signal aborts; what was read by then still comes. */
export async function* chunksOf<T>(
  items: AsyncGenerator<T>,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<T[]> {
  const aborted = new Promise<'aborted'>((resolve) => {
    if (signal.aborted) resolve('aborted');
    else signal.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
  let chunk: T[] = [];
  for (;;) {
    const next = await Promise.race([items.next(), aborted]);
    if (next === 'aborted' || next.done === true) break;
    chunk.push(next.value);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
