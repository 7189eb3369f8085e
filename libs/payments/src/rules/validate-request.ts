import type { z } from 'zod';
import { PaymentRequest } from '../request.js';
import { reasonOf, type Reason } from '../reason.js';

export type Validation =
  | { readonly kind: 'valid'; readonly request: PaymentRequest }
  | { readonly kind: 'invalid'; readonly reason: Reason };

/** The request as its schema sees it, and all that is wrong with it in one reason. */
export function validateRequest(input: unknown): Validation {
  const parsed = PaymentRequest.safeParse(input);
  if (parsed.success) return { kind: 'valid', request: parsed.data };
  const problems = parsed.error.issues.map(describeIssue);
  return { kind: 'invalid', reason: reasonOf('INVALID_REQUEST', problems.join('; ')) };
}

// Our own messages complete the sentence "expected …"; zod's are sentences already.
const ownMessages: ReadonlySet<string> = new Set(['custom', 'invalid_format', 'invalid_union']);

function describeIssue({ code, path, message }: z.core.$ZodIssue): string {
  return `${path.join('.') || 'request'}: ${ownMessages.has(code) ? `expected ${message}` : message}`;
}
