import fc from 'fast-check';
import { chunksOf, linesOf } from './ndjson.js';

async function* pieces(all: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* all;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const never = new AbortController().signal;

describe('lines', () => {
  test('are the same, wherever the pieces end', async () => {
    const values = fc.array(
      fc.oneof(fc.string(), fc.integer(), fc.record({ text: fc.string({ unit: 'binary' }) })),
    );
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(values, cuts, async (given, sizes) => {
        const bytes = Buffer.from(given.map((value) => `${JSON.stringify(value)}\n`).join(''));
        const cut: Buffer[] = [];
        for (let at = 0, i = 0; at < bytes.length; i += 1) {
          const size = sizes[i % sizes.length] ?? 1;
          cut.push(bytes.subarray(at, at + size));
          at += size;
        }
        const lines = await collect(linesOf(pieces(cut)));
        expect(lines).toEqual(given.map((value, i) => ({ number: i + 1, kind: 'json', value })));
      }),
      { numRuns: 100 },
    );
  });

  test('may lack the last newline, be blank, broken or too long', async () => {
    const text = `1\r\n\n  \n{\n${'9'.repeat(70_000)}\n${'9'.repeat(10)}`;
    const lines = await collect(linesOf(pieces([Buffer.from(text), Buffer.from('1')])));
    expect(lines).toEqual([
      { number: 1, kind: 'json', value: 1 },
      { number: 2, kind: 'blank' },
      { number: 3, kind: 'blank' },
      { number: 4, kind: 'not-json' },
      { number: 5, kind: 'too-long' },
      { number: 6, kind: 'json', value: 99_999_999_991 },
    ]);
  });
});

describe('chunks', () => {
  test('are full but for the last', async () => {
    const lines = linesOf(pieces([Buffer.from('1\n2\n3\n4\n5\n')]));
    const chunks = await collect(chunksOf(lines, 2, never));
    expect(chunks.map((chunk) => chunk.length)).toEqual([2, 2, 1]);
  });

  test('end with what was read when the signal aborts', async () => {
    const stop = new AbortController();
    async function* stalling(): AsyncGenerator<Buffer> {
      yield Buffer.from('1\n2\n3\n');
      setImmediate(() => stop.abort());
      await new Promise(() => undefined);
    }
    const chunks = await collect(chunksOf(linesOf(stalling()), 2, stop.signal));
    expect(chunks.map((chunk) => chunk.length)).toEqual([2, 1]);
  });
});
