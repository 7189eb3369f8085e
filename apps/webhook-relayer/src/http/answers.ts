import { z } from 'zod';
import { signatureForms } from '../sign-request.js';

// What goes out, as JSON makes it.

const time = z.iso.datetime();
const text = z.string();
const nullableTime = time.nullable();

export const acceptedAnswer = z.strictObject({ id: text, status: z.literal('accepted') });

const deliveryStatus = z
  .enum(['pending', 'in_flight', 'delivered', 'failed', 'cancelled'])
  .meta({ id: 'DeliveryStatus' });

export const deliveryAnswer = z
  .strictObject({
    id: text,
    eventId: text,
    eventType: text,
    subscriptionId: text,
    status: deliveryStatus,
    attempts: z.int().describe('Of this run; a replay begins at zero'),
    maxAttempts: z.int(),
    deferrals: z.int().describe('How often a limit or an open circuit put it off, which costs no attempt'),
    replays: z.int().describe('How often somebody asked for it again'),
    replayedAt: nullableTime,
    nextAttemptAt: nullableTime,
    lastAttemptAt: nullableTime,
    lastStatusCode: z.int().nullable(),
    lastError: text.nullable(),
    createdAt: time,
    finishedAt: nullableTime,
  })
  .meta({ id: 'Delivery' });

export const eventAnswer = z
  .strictObject({
    id: text,
    type: text,
    source: text,
    time,
    receivedAt: time,
    status: z
      .enum(['pending', 'failed', 'delivered'])
      .describe('Of all its deliveries; an event that nobody subscribed to has reached everyone'),
    body: text.describe('The very bytes that are signed and sent'),
    deliveries: z.array(deliveryAnswer),
  })
  .meta({ id: 'Event' });

export const attemptsAnswer = z.strictObject({
  attempts: z
    .array(
      z
        .strictObject({
          deliveryId: text,
          subscriptionId: text,
          attemptNo: z.int(),
          replayNo: z.int().describe('Of which run: 0 is the first, 1 the first replay'),
          outcome: text,
          applied: z.boolean().describe('False: it came after the lease had been taken away'),
          statusCode: z.int().nullable(),
          errorCode: text.nullable(),
          errorDetail: text.nullable(),
          responseBody: text.nullable().describe('The beginning of what the endpoint answered'),
          durationMs: z.int().nullable(),
          recordedAt: time,
        })
        .meta({ id: 'Attempt' }),
    )
    .describe('Oldest first'),
});

const secretVersion = z
  .strictObject({
    version: z.int(),
    createdAt: time,
    expiresAt: nullableTime.describe('Null: valid until it is rotated'),
  })
  .meta({ id: 'SecretVersion' });

const subscription = {
  id: text,
  url: text,
  eventTypes: z.array(text),
  description: text.nullable(),
  headerNames: z.array(text).describe('Headers sent with every webhook; the values are not shown'),
  signatureForm: z.enum(signatureForms),
  retryProfile: z.enum(['default', 'long']),
  rateLimitPerSecond: z.int().nullable(),
  maxConcurrency: z.int().nullable(),
  status: z.enum(['active', 'paused', 'disabled']),
  statusReason: text.nullable(),
  statusSince: time,
  version: z.int().describe('Counts changes'),
  createdAt: time,
  updatedAt: time,
};

export const subscriptionAnswer = z.strictObject(subscription).meta({ id: 'Subscription' });
const shownOnce = text.describe('Shown in this answer and never again');
export const createdSubscriptionAnswer = z.strictObject({ ...subscription, secret: shownOnce });
export const oneSubscriptionAnswer = z.strictObject({ ...subscription, secrets: z.array(secretVersion) });
export const subscriptionsAnswer = z.strictObject({
  subscriptions: z.array(subscriptionAnswer),
  nextAfter: text.nullable().describe('For the next page; null on the last'),
});

export const rotatedAnswer = z.strictObject({
  secret: shownOnce,
  secrets: z.array(secretVersion).describe('Those that are valid now, newest first'),
});

export const testAnswer = z.strictObject({ eventId: text, deliveryId: text });

export const deliveriesAnswer = z.strictObject({
  deliveries: z.array(deliveryAnswer),
  nextCursor: text.nullable().describe('For the next page; null on the last'),
});

export const replayAnswer = z.strictObject({
  dryRun: z.boolean(),
  matched: z.int().describe('Failed deliveries that were found, up to the limit'),
  replayed: z.int(),
  deliveryIds: z.array(text).describe('Those replayed, or with dryRun those that would be'),
  more: z.boolean().describe('There are more than the limit; repeat the call'),
});

export const healthAnswer = z.strictObject({
  subscriptionId: text,
  status: z.enum(['active', 'paused', 'disabled']),
  since: time.describe('The figures are of the whole hours from here on, 24 with the one that is running'),
  attempts: z.strictObject({
    delivered: z.int(),
    retried: z.int().describe('Failed and tried again'),
    failed: z.int().describe('Failed for good'),
  }),
  successRate: z.number().nullable().describe('Share of attempts that delivered; null without attempts'),
  p95Ms: z.int().nullable().describe('95 of 100 answers came within this time, estimated from classes'),
  circuit: z.strictObject({
    state: z.enum(['closed', 'open', 'half_open']),
    retryAfterMs: z.int().describe('Until when nothing is sent, while it is open'),
  }),
  failingSince: nullableTime.describe('The first of the failures without a success since'),
  lastSuccessAt: nullableTime,
  lastError: z
    .strictObject({
      at: time,
      statusCode: z.int().nullable(),
      code: text.nullable(),
      detail: text.nullable(),
    })
    .nullable(),
});

export const aliveAnswer = z.strictObject({ status: z.literal('ok') });
