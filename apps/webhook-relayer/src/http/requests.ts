import { z } from 'zod';
import { customerHeaders } from '../customer-headers.js';
import { eventId, eventSource, eventSubject, eventTime } from '../event.js';
import { eventType, eventTypePattern } from '../event-type.js';
import { signatureForms } from '../sign-request.js';
import { deliveryCursor } from './cursor.js';

// What comes in.

// PostgreSQL's text takes no NUL, and no note of a person needs a control character.
const note = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .regex(/^[^\p{Cc}]*$/u, 'expected text without control characters');

export const eventParams = z.strictObject({ id: eventId });
const subscriptionId = z.string().regex(/^[A-Za-z0-9_-]{1,100}$/, 'expected the id of a subscription');
export const subscriptionParams = z.strictObject({ id: subscriptionId });
export const deliveryParams = z.strictObject({
  id: z.string().regex(/^\d{1,18}$/, 'expected the number of a delivery'),
});

export const newEvent = z.strictObject({
  id: eventId.optional().describe('Made by the service when it is missing'),
  type: eventType,
  source: eventSource,
  time: eventTime.optional().describe('When it happened; the time of arrival when it is missing'),
  subject: eventSubject.optional().describe('Events with one subject keep their order on the way to Kafka'),
  data: z.record(z.string(), z.unknown()),
});

const settings = {
  url: z
    .string()
    .min(1)
    .max(2_048)
    .describe('Where webhooks go: https, to a public address, without credentials'),
  eventTypes: z
    .array(eventTypePattern)
    .min(1)
    .max(100)
    .describe('Types (`payment.accepted`), all below a prefix (`payment.*`), or everything (`*`)'),
  description: note(500).nullable(),
  headers: customerHeaders.describe('Sent with every webhook; their values are never shown again'),
  signatureForm: z
    .enum(signatureForms)
    .describe(
      '`standard_and_legacy` adds `X-Signature`, the HMAC of the body alone, to the headers of Standard Webhooks',
    ),
  retryProfile: z
    .enum(['default', 'long'])
    .describe('`default`: five attempts within 15 s; `long`: eleven attempts over three days'),
  rateLimitPerSecond: z
    .int()
    .min(1)
    .max(10_000)
    .nullable()
    .describe('Most requests in a second; null: as the service is configured'),
  maxConcurrency: z
    .int()
    .min(1)
    .max(1_000)
    .nullable()
    .describe('Most requests at one time; null: as the service is configured'),
};

const secret = z
  .string()
  .max(200)
  .optional()
  .describe('`whsec_` and the base64 of 24 to 64 bytes; made by the service when it is missing');

export const newSubscription = z.strictObject({
  ...settings,
  description: settings.description.default(null),
  headers: settings.headers.default({}),
  signatureForm: settings.signatureForm.default('standard'),
  retryProfile: settings.retryProfile.default('default'),
  rateLimitPerSecond: settings.rateLimitPerSecond.default(null),
  maxConcurrency: settings.maxConcurrency.default(null),
  secret,
});

export const subscriptionPatch = z.strictObject({
  ...z.strictObject(settings).partial().shape,
  version: z
    .int()
    .min(1)
    .optional()
    .describe('Changes the subscription only while it is at this version; else 409'),
});

export const pauseBody = z.strictObject({
  reason: note(200).optional().describe('Shown with the subscription'),
});

const DAY_SECONDS = 86_400;

export const rotateBody = z.strictObject({
  overlapSeconds: z
    .int()
    .min(0)
    .max(7 * DAY_SECONDS)
    .default(DAY_SECONDS)
    .describe('How long the secret so far stays valid beside the new one; 0 ends it at once'),
  secret,
});

/** A whole number in a query. */
function count(most: number, standard: number) {
  return z.coerce.number().int().min(1).max(most).default(standard);
}

/** An instant with its offset from UTC; a local time would mean another instant to each reader. */
function instant() {
  return z.iso.datetime({ offset: true }).transform((text) => new Date(text));
}

export const subscriptionPage = z.strictObject({
  after: z.string().max(100).default('').describe('The `nextAfter` of the page before'),
  limit: count(200, 100),
});

export const deliveryQuery = z.strictObject({
  subscriptionId: subscriptionId.optional(),
  eventId: eventId.optional(),
  eventType: eventType.optional(),
  status: z.enum(['pending', 'in_flight', 'delivered', 'failed', 'cancelled']).optional(),
  createdFrom: instant()
    .optional()
    .describe('Made at this instant or later; seven days ago when it is missing'),
  createdBefore: instant().optional().describe('Made before this instant'),
  cursor: deliveryCursor.optional().describe('The `nextCursor` of the page before'),
  limit: count(200, 50),
});

const reason = note(500).optional().describe('Why; kept in the audit trail');

export const replayOneBody = z.strictObject({ reason });

export const replaySpanBody = z
  .strictObject({
    subscriptionId: subscriptionId.optional(),
    eventType: eventType.optional(),
    createdFrom: instant().describe('Failed deliveries made at this instant or later'),
    createdBefore: instant().describe('and before this one'),
    limit: z.int().min(1).max(1_000).default(500).describe('Most deliveries of one call'),
    dryRun: z.boolean().default(true).describe('True shows what would be replayed and changes nothing'),
    reason,
  })
  .refine((span) => span.createdFrom < span.createdBefore, {
    path: ['createdBefore'],
    error: 'expected an instant after createdFrom',
  });
