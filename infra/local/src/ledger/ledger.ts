import { createReadStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { createGroupCommit } from './group-commit.js';
import { LedgerError } from './ledger-error.js';
import { splitLines } from './split-lines.js';

/** An append-only NDJSON file. What was appended is on disk when `append` resolves, and is there after a crash. */
export interface Ledger<Line> {
  /** What was found when the file was opened. */
  readonly recovered: { readonly lines: number; readonly cutBytes: number };
  append(line: Line): Promise<void>;
  /** All committed lines, oldest first, as of the moment when reading begins. */
  read(): AsyncGenerator<Line>;
  lineCount(): number;
  /** The error after which nothing more is accepted, if there was one. */
  failure(): LedgerError | undefined;
  close(): Promise<void>;
}

export interface LedgerOptions<Line> {
  readonly file: string;
  readonly schema: z.ZodType<Line>;
  /** Called for each line that the file held already, in order. */
  readonly onLine?: (line: Line) => void;
  readonly maxWaiting?: number;
}

export async function openLedger<Line>(options: LedgerOptions<Line>): Promise<Ledger<Line>> {
  const { file, schema } = options;
  await createDurably(file);
  const found = await recover(options);
  const handle = await open(file, 'a');
  let bytesCommitted = found.bytes;
  let lines = found.lines;

  const commits = createGroupCommit<Line>({
    maxWaiting: options.maxWaiting ?? 10_000,
    async commit(batch) {
      await refuseForeignBytes(handle, bytesCommitted);
      const bytes = Buffer.from(batch.map((line) => `${JSON.stringify(line)}\n`).join(''));
      await handle.appendFile(bytes);
      // datasync also makes the new length durable, which is all that reading back needs.
      await handle.datasync();
      bytesCommitted += bytes.length;
      lines += batch.length;
    },
  });

  return {
    recovered: { lines: found.lines, cutBytes: found.cutBytes },
    append: (line) => commits.add(line),
    async *read() {
      for await (const { text } of linesOf(file, bytesCommitted)) yield schema.parse(JSON.parse(text));
    },
    lineCount: () => lines,
    failure: () => commits.failure(),
    async close() {
      await commits.drain();
      await handle.close();
    },
  };
}

/** A new file outlives a crash only when its folder is synced too. */
async function createDurably(file: string): Promise<void> {
  const folder = dirname(file);
  await mkdir(folder, { recursive: true });
  await (await open(file, 'a')).close();
  const folderHandle = await open(folder, 'r');
  await folderHandle.sync().finally(() => folderHandle.close());
}

/**
 * Reads every line back and cuts a torn last one. A torn line was never synced, so nobody was ever told of it. A
 * whole line that cannot be read is another matter: leaving it out would forget an execution, so it is an error.
 */
async function recover<Line>(options: LedgerOptions<Line>) {
  const { file } = options;
  const handle = await open(file, 'r+');
  try {
    const { size } = await handle.stat();
    let lines = 0;
    let bytes = 0;
    for await (const { text, end } of linesOf(file, size)) {
      lines += 1;
      bytes = end;
      const line = parseLine(text, options.schema);
      if (line === undefined) {
        throw new LedgerError(
          'LEDGER_DAMAGED',
          `line ${lines} of ${file} is not a line of this ledger; repair the file, or move it away to start anew`,
        );
      }
      options.onLine?.(line);
    }
    if (bytes < size) {
      await handle.truncate(bytes);
      await handle.sync();
    }
    return { lines, bytes, cutBytes: size - bytes };
  } finally {
    await handle.close();
  }
}

function parseLine<Line>(text: string, schema: z.ZodType<Line>): Line | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function linesOf(file: string, length: number) {
  if (length === 0) return splitLines(noChunks());
  return splitLines(createReadStream(file, { end: length - 1 }));
}

async function* noChunks(): AsyncGenerator<Buffer> {}

/** Two processes on one ledger would each execute what the other has executed; better to stop than to go on. */
async function refuseForeignBytes(handle: FileHandle, expected: number): Promise<void> {
  const { size } = await handle.stat();
  if (size !== expected)
    throw new Error(`the ledger has ${size} bytes, not ${expected}: something else writes to it`);
}
