const newline = 0x0a;

export interface WholeLine {
  readonly text: string;
  /** Offset of the first byte after the line's newline. */
  readonly end: number;
}

/** The newline-terminated lines of a byte stream. What follows the last newline is torn and is not yielded. */
export async function* splitLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<WholeLine> {
  let rest: Buffer = Buffer.alloc(0);
  let end = 0;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, start)) {
      end += at + 1 - start;
      yield { text: bytes.toString('utf8', start, at), end };
      start = at + 1;
    }
    rest = bytes.subarray(start);
  }
}
