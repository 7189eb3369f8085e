import { z } from 'zod';
import { Currency, ParticipantId, PaymentId, PaymentRequest, PaymentStatus, Rail } from '@sluice/payments';
import { pageCursor } from './cursor.js';

// What comes in.

export const paymentParams = z.strictObject({ paymentId: PaymentId });
/** Once in the document, under its name. */
export const paymentBody = PaymentRequest.meta({ id: 'PaymentRequest' });

export const mostPaymentsPerBatch = 1000;
export const batchBody = z.strictObject({
  payments: z
    .array(z.unknown().describe('A PaymentRequest; each is checked for itself'))
    .min(1)
    .max(mostPaymentsPerBatch),
});

const instant = () => z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const listQuery = z.strictObject({
  status: PaymentStatus.optional(),
  participantId: ParticipantId.optional(),
  rail: Rail.optional(),
  createdFrom: instant().optional().describe('Only payments written at this instant or later'),
  createdBefore: instant().optional().describe('Only payments written before this instant'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: pageCursor.optional().describe('The nextCursor of the page before'),
});

export const cancelBody = z.strictObject({
  reason: z.string().trim().min(1).max(400).describe('Why; kept in the audit with the id of the caller'),
});

const participant = z.union([z.literal('*'), ParticipantId]);
export const participantParams = z.strictObject({ participantId: participant });
export const limitParams = z.strictObject({ participantId: participant, currency: Currency });
const bound = () => z.int().min(1).max(1e15).nullable();
export const limitBody = z.strictObject({
  perPaymentMinorUnits: bound().describe('Most in one payment; null: no bound'),
  perDayMinorUnits: bound().describe('Most on one day; null: no bound'),
  perDayPayments: z.int().min(1).max(1e9).nullable().describe('Most payments on one day; null: no bound'),
});

// What goes out, as JSON makes it.

const time = z.iso.datetime();
const reason = z.strictObject({ code: z.string(), detail: z.string() }).meta({ id: 'Reason' });

export const receivedAnswer = z
  .strictObject({ paymentId: z.string(), status: z.literal('RECEIVED') })
  .meta({ id: 'Received' });

export const paymentAnswer = z
  .strictObject({
    paymentId: z.string(),
    status: z.enum(['RECEIVED', ...PaymentStatus.options]),
    receivedAt: time.optional().describe('While it is RECEIVED'),
    reason: reason.optional(),
    flags: z.array(reason).optional().describe('Remarks for people; they hold nothing up'),
    participantId: z.string().optional(),
    rail: Rail.optional(),
    amount: z.strictObject({ minorUnits: z.int(), currency: z.string(), text: z.string() }).optional(),
    reference: z.string().optional(),
    executeAt: time.optional(),
    scheduledTime: time.optional(),
    expectedSettlementDate: z.iso.date().optional(),
    createdAt: time.optional(),
    updatedAt: time.optional(),
  })
  .meta({ id: 'Payment' });

export const listAnswer = z.strictObject({
  payments: z.array(paymentAnswer),
  nextCursor: z.string().nullable().describe('For the next page; null on the last'),
});

export const batchAnswer = z.strictObject({
  accepted: z.int(),
  repeated: z.int(),
  refused: z.int(),
  results: z
    .array(
      z.strictObject({
        index: z.int(),
        paymentId: z.string().optional(),
        outcome: z
          .enum(['accepted', 'repeated', 'conflict', 'invalid', 'unavailable'])
          .describe('unavailable: nothing was promised for this one; send it again'),
        problem: reason.optional(),
      }),
    )
    .describe('One for each payment, in their order'),
});

const counts = { lines: z.int(), accepted: z.int(), repeated: z.int(), refused: z.int() };
export const uploadAnswer = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('refused'),
      line: z.int(),
      paymentId: z.string().optional(),
      code: z.string(),
      detail: z.string(),
    }),
    z.strictObject({ kind: z.literal('progress'), ...counts }),
    z.strictObject({ kind: z.literal('done'), ...counts }),
    z.strictObject({ kind: z.literal('stopped'), code: z.string(), detail: z.string(), ...counts }),
  ])
  .meta({ id: 'UploadReport' });

export const limitsAnswer = z.strictObject({
  limits: z.array(
    limitBody.extend({
      participantId: z.string(),
      currency: z.string(),
      updatedAt: time,
      updatedBy: z.string(),
    }),
  ),
});

export const timelineAnswer = z
  .strictObject({
    paymentId: z.string(),
    status: z.string(),
    traceId: z.string().nullable(),
    complete: z.boolean().describe('False when a part did not answer; `parts` names it'),
    steps: z.array(
      z.strictObject({
        at: time,
        part: z.string(),
        step: z.string(),
        detail: z.string().optional(),
        ids: z.record(z.string(), z.string()).optional(),
        link: z.string().optional(),
      }),
    ),
    parts: z.array(
      z.strictObject({
        part: z.string(),
        service: z.string(),
        state: z.enum(['found', 'absent', 'unavailable', 'not-configured']),
        detail: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'Timeline' });
