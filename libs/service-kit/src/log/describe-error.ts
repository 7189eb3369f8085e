import { redactText } from './redact-text.js';

/** An error in one line, without secrets. Errors of the network can have a code and no message at all. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return redactText(String(error));
  const code = 'code' in error ? String(error.code) : '';
  return redactText(error.message || code || error.name);
}
