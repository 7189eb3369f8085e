import { z } from 'zod';
import { canonicalJson } from './fingerprint.js';
import { paymentFields, railDestinations, unknownRail, type PaymentRequest } from './request.js';

export const contextVersion = 1;

const contextFields = {
  ...paymentFields,
  version: z.literal(contextVersion),
  scheduledTime: z.iso.datetime(),
  /** W3C trace context of the request that brought the payment in. */
  traceparent: z
    .string()
    .regex(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/, 'a W3C traceparent')
    .optional(),
};

/** All that execution needs to know of a payment. It waits in the queue and reaches the exec workflow as JSON. */
export const PaymentExecContext = z.discriminatedUnion(
  'rail',
  [
    z.strictObject({ ...contextFields, ...railDestinations.us }),
    z.strictObject({ ...contextFields, ...railDestinations.wire }),
    z.strictObject({ ...contextFields, ...railDestinations.sepa }),
  ],
  { error: unknownRail },
);
export type PaymentExecContext = z.infer<typeof PaymentExecContext>;

export function buildExecContext(
  request: PaymentRequest,
  scheduledTime: Date,
  traceparent?: string,
): PaymentExecContext {
  const { executeAt: _requested, ...payment } = request;
  const trace = traceparent === undefined ? {} : { traceparent };
  return { version: contextVersion, ...payment, scheduledTime: scheduledTime.toISOString(), ...trace };
}

/** The same context is always the same bytes: the queue tells a repeated save from another context by them. */
export function writeExecContext(context: PaymentExecContext): string {
  return canonicalJson(context);
}

/** Throws a ZodError, or a SyntaxError for text that is not JSON. */
export function readExecContext(contextJson: string): PaymentExecContext {
  return PaymentExecContext.parse(JSON.parse(contextJson));
}
