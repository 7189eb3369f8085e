import type { z } from 'zod';
import { parseDescribed } from './describe-issue.js';
import type { FieldError } from './describe-issue.js';
import { ProblemError } from './problem.js';

const MAX_ERRORS = 50;

export type Place = 'body' | 'query' | 'path';

/** The parsed value, or a 422 that names every field that is wrong. Paths outside of the body begin with their place. */
export function validate(schema: z.ZodType, value: unknown, place: Place): unknown {
  const parsed = parseDescribed(schema, value);
  if ('data' in parsed) return parsed.data;
  const errors = parsed.errors.map((error) => ({
    ...error,
    path: place === 'body' ? error.path || 'body' : [place, error.path].filter(Boolean).join('.'),
  }));
  throw invalid(errors);
}

function invalid(errors: readonly FieldError[]): ProblemError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return new ProblemError({
    status: 422,
    code: 'VALIDATION_FAILED',
    title: 'Validation failed',
    detail: `${first?.path}: expected ${first?.expected}, found ${first?.found}${more}.`,
    extensions: { errors: errors.slice(0, MAX_ERRORS) },
  });
}

/** For a part of the request that the route does not use: to ignore it would hide the caller's mistake. */
export function refuseUnused(names: readonly string[], place: Place): void {
  if (names.length === 0) return;
  throw invalid(
    names.map((name) => ({ path: `${place}.${name}`, expected: 'no such field', found: 'an unknown field' })),
  );
}
