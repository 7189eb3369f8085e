import { z } from 'zod';

// Ids become workflow ids, which Temporal shows in clear text, and parts of URLs: a narrow alphabet keeps both safe.
const identifier = () =>
  z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, '1 to 64 letters, digits, dots, underscores or hyphens');

/** The producer's own id of a payment; the same id is the same payment for ever. */
export const PaymentId = identifier().brand<'PaymentId'>();
export type PaymentId = z.infer<typeof PaymentId>;

/** The party whose instructions leave in order. */
export const ParticipantId = identifier().brand<'ParticipantId'>();
export type ParticipantId = z.infer<typeof ParticipantId>;
