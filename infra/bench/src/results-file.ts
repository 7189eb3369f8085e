import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PartResult } from './bench.js';
import type { Machine } from './machine.js';

export interface RecordedPart extends Omit<PartResult, 'tables'> {
  readonly title: string;
  readonly date: string;
  readonly machine: Machine;
}

/** Puts the result of one part into the file of its bench; those of other parts stay as they are. */
export async function recordPart(
  file: string,
  place: { readonly bench: string; readonly letter: string },
  part: RecordedPart,
): Promise<void> {
  const { bench, letter } = place;
  const parts = { ...(await readParts(file)), [letter]: part };
  const sorted = Object.fromEntries(
    Object.entries(parts).toSorted(([one], [other]) => one.localeCompare(other)),
  );
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.draft`, `${JSON.stringify({ bench, parts: sorted }, undefined, 2)}\n`);
  await rename(`${file}.draft`, file);
}

async function readParts(file: string): Promise<object> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return {};
  const content: unknown = JSON.parse(text);
  const isOurs = typeof content === 'object' && content !== null && 'parts' in content;
  return isOurs && typeof content.parts === 'object' && content.parts !== null ? content.parts : {};
}
