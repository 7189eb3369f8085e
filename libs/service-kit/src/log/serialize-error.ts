import { redactFields, redactObject } from './redact-fields.js';

const MAX_CAUSES = 5;
// `AggregateError.errors` can be long; a log line needs the first few.
const MAX_ERRORS = 5;

/** An error as plain data: what it is, its stable code, its own fields without secrets, and what caused it. */
export function serializeError(error: unknown, depth = 0): unknown {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  if (!(error instanceof Error)) return redactFields(error);
  const { cause } = error;
  return {
    type: error.constructor.name === 'Error' ? error.name : error.constructor.name,
    ...redactObject(error),
    message: error.message,
    stack: error.stack,
    ...(error instanceof AggregateError ? { errors: serializeSome(error.errors, depth) } : {}),
    ...(cause === undefined
      ? {}
      : { cause: depth < MAX_CAUSES ? serializeError(cause, depth + 1) : '[and more]' }),
  };
}

function serializeSome(errors: readonly unknown[], depth: number): unknown[] {
  return errors.slice(0, MAX_ERRORS).map((inner) => serializeError(inner, depth + 1));
}
