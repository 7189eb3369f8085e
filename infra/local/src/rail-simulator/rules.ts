import { createHash } from 'node:crypto';
import { z } from 'zod';
import { controlFields, createControlList } from '../ledger/control-list.js';

/**
 * How the rail fails, and for which instructions.
 * - before: 503, nothing executed
 * - outage: as before, and status queries are answered 503 as well
 * - after: executes, then drops the connection
 * - slow: waits `delayMs`, then executes and answers
 * - silent: never answers; `executes` says whether it executes all the same
 * - reject: 422 with `code`, unless the key has been executed before
 * - answer: `httpStatus` and `code` in so many words, nothing executed
 * `delayMs` is waited before anything else happens, in every way of failing. `times` counts for each instruction.
 */
export const ruleSchema = z
  .strictObject({
    instructionPrefix: z.string().min(1).optional(),
    /** Of all instruction ids, evenly and always the same ones: every n-th by a hash of the id. */
    every: z.int().min(1).optional(),
    offset: z.int().min(0).optional(),
    failure: z.enum(['before', 'outage', 'after', 'slow', 'silent', 'reject', 'answer']),
    executes: z.boolean().optional(),
    httpStatus: z.int().min(200).max(599).optional(),
    code: z
      .string()
      .regex(/^[A-Z][A-Z0-9_]*$/)
      .optional(),
    ...controlFields,
  })
  .refine((rule) => rule.offset === undefined || rule.offset < (rule.every ?? 0), {
    path: ['offset'],
    message: 'needs "every" and is smaller than it',
  })
  .refine((rule) => rule.executes === undefined || rule.failure === 'silent', {
    path: ['executes'],
    message: 'goes with the failure "silent" only',
  })
  .refine((rule) => rule.code === undefined || rule.failure === 'reject' || rule.failure === 'answer', {
    path: ['code'],
    message: 'goes with the failures "reject" and "answer" only',
  })
  .refine((rule) => (rule.httpStatus !== undefined) === (rule.failure === 'answer'), {
    path: ['httpStatus'],
    message: 'goes with the failure "answer", and only with it',
  })
  .refine((rule) => rule.failure !== 'slow' || rule.delayMs !== undefined, {
    path: ['delayMs'],
    message: 'is needed with the failure "slow"',
  });

export type Rule = z.infer<typeof ruleSchema>;

export function createRules() {
  return createControlList<Rule>();
}

export function ruleMatches(rule: Rule, instructionId: string): boolean {
  if (rule.instructionPrefix !== undefined && !instructionId.startsWith(rule.instructionPrefix)) return false;
  return rule.every === undefined || stableHash(instructionId) % rule.every === (rule.offset ?? 0);
}

/** The same on every machine and in every run, and even in its low bits, which a modulo needs. */
export function stableHash(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}
