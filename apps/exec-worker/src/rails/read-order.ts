import { z } from 'zod';
import type { Instruction } from '@sluice/outbox';
import { PaymentRequest } from '@sluice/payments';
import type { RailOrder } from './rail.js';

const Envelope = z.looseObject({ instructionId: z.string() });

export type OrderReading =
  | { readonly kind: 'order'; readonly order: RailOrder }
  | { readonly kind: 'invalid'; readonly problems: string };

/**
 * The last look before money leaves: amount, currency and destination are checked again as the rail needs them, whoever
 * wrote the row. Problems name fields, never their values.
 */
export function readOrder(instruction: Instruction): OrderReading {
  const { instructionId, participantId, sequenceId, railType, payload } = instruction;
  const envelope = Envelope.safeParse(payload);
  if (!envelope.success) return { kind: 'invalid', problems: 'the payload is not an instruction' };
  const { instructionId: named, ...rest } = envelope.data;
  const parsed = PaymentRequest.safeParse(rest);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'payload'}: ${message}`,
    );
    return { kind: 'invalid', problems: problems.join('; ') };
  }
  const { paymentId, rail, amount, destination, reference } = parsed.data;
  if (named !== instructionId || parsed.data.participantId !== participantId || rail !== railType) {
    return { kind: 'invalid', problems: 'the payload belongs to another instruction, participant or rail' };
  }
  const body = { instructionId, paymentId, participantId, sequence: sequenceId, amount, destination };
  const key = instruction.idempotencyKey;
  return { kind: 'order', order: { key, body: reference === undefined ? body : { ...body, reference } } };
}
