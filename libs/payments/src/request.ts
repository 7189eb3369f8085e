import { z } from 'zod';
import { SepaAccount, UsAccount, WireAccount } from './destination.js';
import { ParticipantId, PaymentId } from './identifiers.js';
import { Amount } from './money.js';

export const rails = ['ACH', 'WIRE', 'RTP', 'SEPA'] as const;
export const Rail = z.enum(rails);
export type Rail = z.infer<typeof Rail>;

// PostgreSQL can store neither NUL nor half a surrogate pair; nor has any rail a use for control characters.
const printable = (text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text);

/** What every rail's payment has in common; the request and the context extend it, each in its own way. */
export const paymentFields = {
  paymentId: PaymentId,
  participantId: ParticipantId,
  amount: Amount,
  reference: z.string().max(140).refine(printable, 'text without control characters').optional(),
};

/** The destination's shape follows from the rail. */
export const railDestinations = {
  us: { rail: z.enum(['ACH', 'RTP']), destination: UsAccount },
  wire: { rail: z.literal('WIRE'), destination: WireAccount },
  sepa: { rail: z.literal('SEPA'), destination: SepaAccount },
};

const requestFields = {
  ...paymentFields,
  /** The instant it is wanted for, with offset; absent means at once. */
  executeAt: z.iso
    .datetime({ offset: true, error: 'an instant with offset, such as 2030-01-31T16:00:00-07:00' })
    .max(40)
    .optional(),
};

/** For an unknown rail; everything else is said by the field that is wrong. */
export const unknownRail: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_union' ? `one of ${rails.join(', ')}` : undefined;

/**
 * What a producer sends: one payment, checked as far as the request alone can tell. Unknown fields are refused.
 * Messages complete the sentence "expected …".
 */
export const PaymentRequest = z.discriminatedUnion(
  'rail',
  [
    z.strictObject({ ...requestFields, ...railDestinations.us }),
    z.strictObject({ ...requestFields, ...railDestinations.wire }),
    z.strictObject({ ...requestFields, ...railDestinations.sepa }),
  ],
  { error: unknownRail },
);
export type PaymentRequest = z.infer<typeof PaymentRequest>;
export type Destination = PaymentRequest['destination'];
