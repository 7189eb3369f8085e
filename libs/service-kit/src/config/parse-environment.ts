import type { z } from 'zod';
import type { ConfigurationProblem } from './configuration-error.js';
import { fileVariable, readFileFromDisk, readRawValue } from './read-raw-value.js';
import type { EnvironmentRecord, RawValueSource } from './read-raw-value.js';
import { summaryEntry } from './summary.js';
import type { SummaryEntry } from './summary.js';
import { unknownVariables } from './unknown-variables.js';
import { NO_DETAIL, variableMeta } from './variable.js';
import { redactUrl } from '../log/redact-text.js';

export type { EnvironmentRecord } from './read-raw-value.js';

export type ParsedEnvironment<S extends z.ZodObject> =
  | { readonly kind: 'valid'; readonly config: z.infer<S>; readonly summary: readonly SummaryEntry[] }
  | { readonly kind: 'invalid'; readonly problems: readonly ConfigurationProblem[] };

export interface ParseOptions {
  /** Variables that begin like this must be known to the schema. Default `SLUICE_`; empty: no such rule. */
  readonly prefix?: string;
  readonly readFile?: (path: string) => string;
}

interface ReadVariable {
  readonly name: string;
  readonly raw: string | undefined;
  readonly value: unknown;
  readonly entry: SummaryEntry;
  readonly problem?: ConfigurationProblem;
}

/** Reads all variables of the schema and reports every problem at once; a malformed value never becomes a default. */
export function parseEnvironment<S extends z.ZodObject>(
  schema: S,
  environment: EnvironmentRecord,
  options: ParseOptions = {},
): ParsedEnvironment<S> {
  const prefix = options.prefix ?? 'SLUICE_';
  const source = { environment, readFile: options.readFile ?? readFileFromDisk };
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  const read = Object.entries(shape).map(([name, field]) => readVariable(source, name, field));
  const problems = [
    ...read.flatMap(({ problem }) => problem ?? []),
    ...missingKeys(read),
    ...(prefix === '' ? [] : unknownVariables(environment, knownNames(shape), prefix)),
  ];
  if (problems.length > 0) return { kind: 'invalid', problems };

  // Once more as a whole, for rules that an app has laid on several variables together.
  const whole = schema.safeParse(Object.fromEntries(read.map(({ name, raw }) => [name, raw])));
  if (whole.success) return { kind: 'valid', config: whole.data, summary: read.map(({ entry }) => entry) };
  return {
    kind: 'invalid',
    problems: whole.error.issues.map(({ path, message }) => ({
      variable: path.length > 0 ? String(path[0]) : 'environment',
      problem: message,
    })),
  };
}

function readVariable(source: RawValueSource, name: string, field: z.ZodType): ReadVariable {
  const meta = variableMeta(field);
  const found = readRawValue(source, name, meta.secret !== undefined);
  const raw = found.kind === 'given' ? found.raw : undefined;
  const parsed = field.safeParse(raw);
  const value = parsed.success ? parsed.data : undefined;
  const origin = found.kind === 'given' ? found.source : value === undefined ? 'not set' : 'default';
  const result = { name, raw, value, entry: summaryEntry({ name, meta, value, raw, origin }) };
  if (found.kind === 'problem')
    return { ...result, problem: { variable: found.variable, problem: found.problem } };
  if (parsed.success) return result;

  if (found.kind === 'absent') {
    const problem = found.empty
      ? 'required, not set (an empty value counts as not set)'
      : 'required, not set';
    return { ...result, problem: { variable: name, problem } };
  }
  const detail = parsed.error.issues[0]?.message ?? NO_DETAIL;
  const expected = meta.expected ?? 'another value';
  const more = detail === NO_DETAIL ? '' : ` (${detail})`;
  const problem = `expected ${expected}, found ${shown(found.raw, meta)}${more}`;
  return { ...result, problem: { variable: name, problem } };
}

/** An open API is for development; said here, so that it stands beside all other problems. */
function missingKeys(read: readonly ReadVariable[]): ConfigurationProblem[] {
  const find = (name: string): ReadVariable | undefined => read.find((one) => one.name === name);
  const keys = find('SLUICE_API_KEYS');
  const isEmpty =
    keys !== undefined && keys.problem === undefined && Array.isArray(keys.value) && keys.value.length === 0;
  if (!isEmpty || find('SLUICE_ENV')?.value !== 'production') return [];
  const found = keys.raw === undefined ? 'not set' : 'found an empty list';
  return [{ variable: 'SLUICE_API_KEYS', problem: `required in production, ${found}` }];
}

function knownNames(shape: Readonly<Record<string, z.ZodType>>): string[] {
  return Object.entries(shape).flatMap(([name, field]) =>
    variableMeta(field).secret === undefined ? [name] : [name, fileVariable(name)],
  );
}

function shown(raw: string, meta: ReturnType<typeof variableMeta>): string {
  if (meta.secret === 'whole') return 'a value that is set but does not fit';
  if (meta.secret === 'credentials') return `"${redactUrl(raw) ?? 'set'}"`;
  return JSON.stringify(redactUrl(raw) ?? raw);
}
