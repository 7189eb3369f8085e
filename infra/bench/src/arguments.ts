import { parseArgs } from 'node:util';

export interface BenchArguments {
  readonly bench: string;
  /** One part only, or all. */
  readonly part: string | undefined;
  /** As asked for; each part has its own default. */
  readonly rows: number | undefined;
  readonly repeats: number;
}

/** The benches there are, each with the letters of its parts. */
export type KnownBenches = Readonly<Record<string, readonly string[]>>;

export type ParsedArguments =
  | { readonly kind: 'parsed'; readonly arguments: BenchArguments }
  | { readonly kind: 'refused'; readonly problem: string };

const defaultRepeats = 3;
const mostRepeats = 99;
const mostRows = 10_000_000;

export function parseArguments(words: readonly string[], known: KnownBenches): ParsedArguments {
  let parsed;
  try {
    parsed = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { part: { type: 'string' }, rows: { type: 'string' }, repeats: { type: 'string' } },
    });
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = parsed;
  const [bench, ...more] = positionals;
  const parts = bench === undefined ? undefined : known[bench];
  if (bench === undefined || parts === undefined || more.length > 0) {
    return refused(
      `expected one bench of: ${Object.keys(known).join(', ')}; found "${positionals.join(' ')}"`,
    );
  }
  if (values.part !== undefined && !parts.includes(values.part)) {
    return refused(`--part: expected one of ${parts.join(', ')}; found "${values.part}"`);
  }
  const rows = wholeNumber(values.rows, mostRows);
  if (rows === null) return refused(`--rows: expected a whole number 1..${mostRows}, found "${values.rows}"`);
  const repeats = wholeNumber(values.repeats, mostRepeats);
  if (repeats === null) {
    return refused(`--repeats: expected a whole number 1..${mostRepeats}, found "${values.repeats}"`);
  }
  const { part } = values;
  return { kind: 'parsed', arguments: { bench, part, rows, repeats: repeats ?? defaultRepeats } };
}

/** With a part named, what was asked for; in a run of all parts no part goes above its own default. */
export function rowsOf(given: BenchArguments, defaultRows: number): number {
  if (given.rows === undefined) return defaultRows;
  return given.part === undefined ? Math.min(given.rows, defaultRows) : given.rows;
}

function wholeNumber(text: string | undefined, most: number): number | null | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  return /^\d+$/.test(text) && value >= 1 && value <= most ? value : null;
}

function refused(problem: string): ParsedArguments {
  return { kind: 'refused', problem };
}
