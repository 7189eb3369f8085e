import { createHash } from 'node:crypto';
import { z } from 'zod';

const id = z.string().min(1).max(128);

/** The body of an instruction. Fields beyond these are allowed and count as part of the body. */
export const instructionSchema = z.object({
  instructionId: id,
  paymentId: id,
  participantId: id,
  sequence: z.int().min(1),
  amount: z.object({ minorUnits: z.int().min(1), currency: z.string().regex(/^[A-Z]{3}$/) }),
  destination: z.record(z.string(), z.unknown()),
  reference: z.string().max(140).optional(),
});

export type Instruction = z.infer<typeof instructionSchema>;

/** One line for each real execution, never for a replay or a failure. */
export const railLedgerLineSchema = z.object({
  at: z.iso.datetime(),
  rail: z.string(),
  instructionId: z.string(),
  idempotencyKey: z.string(),
  paymentId: z.string(),
  participantId: z.string(),
  sequence: z.int(),
  minorUnits: z.int(),
  currency: z.string(),
  reference: z.string(),
  /** Tells after a restart whether a known key comes with the body it came with first. */
  bodyHash: z.string(),
});

export type RailLedgerLine = z.infer<typeof railLedgerLineSchema>;

/** Equal for equal JSON values, whatever the order of their fields. */
export function hashBody(body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(body, (_name, value: unknown) => withSortedFields(value)))
    .digest('base64url');
}

function withSortedFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
