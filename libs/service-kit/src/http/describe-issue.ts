import type { z } from 'zod';
import { isSecretField } from '../log/redact-fields.js';

export interface FieldError {
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

type Issue = z.core.$ZodIssue;

const UNION = 'one of the allowed forms';

/**
 * Every field of the value that does not fit, in words for the one who sent it; none when all of it fits. A message
 * that the schema's author wrote wins over ours.
 */
export function parseDescribed(
  schema: z.ZodType,
  value: unknown,
): { readonly data: unknown } | { readonly errors: FieldError[] } {
  const parsed = schema.safeParse(value, { error: expectation });
  return parsed.success ? { data: parsed.data } : { errors: describeIssues(parsed.error.issues, value, []) };
}

function describeIssues(
  issues: readonly Issue[],
  root: unknown,
  prefix: readonly PropertyKey[],
): FieldError[] {
  return issues.flatMap((issue) => describeIssue(issue, root, [...prefix, ...issue.path]));
}

function describeIssue(issue: Issue, root: unknown, path: readonly PropertyKey[]): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: join([...path, key]),
      expected: 'no such field',
      found: 'an unknown field',
    }));
  }
  if (issue.code === 'invalid_union' && issue.message === UNION) {
    const nearest = nearestBranch(issue.errors);
    if (nearest !== undefined) return describeIssues(nearest, root, path);
  }
  return [
    { path: join(path), expected: issue.message, found: describeFound(valueAt(root, path), path.at(-1)) },
  ];
}

/** Of a union's branches, the one that fails deepest inside is most likely the one that was meant. */
function nearestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const depth = (branch: readonly Issue[]): number => Math.max(0, ...branch.map(({ path }) => path.length));
  return branches
    .filter((branch) => depth(branch) > 0)
    .toSorted((a, b) => depth(b) - depth(a) || a.length - b.length)[0];
}

/** Completes the sentence "expected …"; undefined leaves the word to zod. */
function expectation(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') return TYPE_NAMES[issue.expected] ?? issue.expected;
  if (issue.code === 'invalid_value') return `one of ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_union') {
    // A discriminated union knows which words its discriminator may be.
    return Array.isArray(issue.options) ? `one of ${issue.options.map(String).join(', ')}` : UNION;
  }
  if (issue.code === 'not_multiple_of') return `a multiple of ${issue.divisor}`;
  if (issue.code === 'invalid_format') {
    return issue.format === 'regex'
      ? `text of the form ${issue.pattern ?? ''}`
      : `text in the form ${issue.format}`;
  }
  if (issue.code === 'too_small') {
    return `${issue.inclusive === false ? 'more than' : 'at least'} ${amount(issue.origin, issue.minimum)}`;
  }
  if (issue.code === 'too_big') {
    return `${issue.inclusive === false ? 'less than' : 'at most'} ${amount(issue.origin, issue.maximum)}`;
  }
  return undefined;
}

const TYPE_NAMES: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
  undefined: 'nothing',
  never: 'nothing',
};

function amount(origin: string, bound: number | bigint): string {
  if (origin === 'string') return `${bound} characters`;
  if (origin === 'array' || origin === 'set') return `${bound} entries`;
  return String(bound);
}

function describeFound(value: unknown, field: PropertyKey | undefined): string {
  if (value === undefined) return 'nothing';
  if (typeof field === 'string' && isSecretField(field)) return 'a value that is not shown';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    const found: unknown = Reflect.get(value, key);
    return found;
  }, root);
}

function join(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
