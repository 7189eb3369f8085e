import { z } from 'zod';
import { dispatchConfigSchema, itemIdSchema, itemTypeSchema } from '@sluice/queue-core';

// What comes in.

export const typeParams = z.strictObject({ itemType: itemTypeSchema });
export const itemParams = z.strictObject({ itemType: itemTypeSchema, itemId: itemIdSchema });

const reason = z.string().trim().min(1).max(500).describe('Why; kept in the audit with the id of the caller');
export const reasonBody = z.strictObject({ reason });
export const configBody = dispatchConfigSchema.extend({ reason: reason.optional() });

/** A whole number in a query. */
export function count(most: number, standard: number) {
  return z.coerce.number().int().min(1).max(most).default(standard);
}

/** An instant with its offset from UTC; a local time would mean another instant to each reader. */
export function instant() {
  return z.iso.datetime({ offset: true }).transform((text) => new Date(text));
}

export const exhaustedFilter = {
  errorContains: z.string().min(1).max(200).optional().describe('Only items whose last error contains this'),
  exhaustedFrom: instant().optional().describe('Only items set aside at this instant or later'),
  exhaustedBefore: instant().optional().describe('Only items set aside before this instant'),
};

export const bulkRequeueBody = z.strictObject({
  reason,
  dryRun: z.boolean().default(true).describe('True shows what would be requeued and changes nothing'),
  limit: z.int().min(1).max(1_000).default(500).describe('Most items of one call'),
  ...exhaustedFilter,
});

// What goes out, as JSON makes it.

const time = z.iso.datetime();
const nullableText = z.string().nullable();
const queueStatus = z
  .enum(['READY', 'CLAIMED', 'DISPATCHED', 'EXHAUSTED', 'CANCELLED'])
  .meta({ id: 'QueueStatus' });

export const configAnswer = dispatchConfigSchema
  .extend({ itemType: z.string(), updatedAt: time })
  .meta({ id: 'DispatchConfig' });

export const configListAnswer = z.strictObject({ configs: z.array(configAnswer) });

const auditEntry = z
  .strictObject({
    action: z.string(),
    batchId: nullableText,
    statusBefore: nullableText,
    statusAfter: nullableText,
    detail: nullableText,
    actor: nullableText.describe('Who did it; null when it was the dispatcher'),
    createdAt: time,
  })
  .meta({ id: 'AuditEntry' });

export const itemAnswer = z
  .strictObject({
    itemType: z.string(),
    itemId: z.string(),
    status: queueStatus,
    scheduledExecTime: time,
    initWorkflowId: z.string(),
    dispatchBatchId: nullableText,
    execWorkflowId: nullableText,
    claimedAt: time.nullable(),
    dispatchedAt: time.nullable(),
    retryCount: z.int(),
    retryAfter: time.nullable(),
    lastError: nullableText,
    createdAt: time,
    updatedAt: time,
    auditTrail: z.array(auditEntry).describe('Oldest first; the claims of the batches it was in included'),
  })
  .meta({ id: 'Item' });

export const itemStatusAnswer = z
  .strictObject({ itemType: z.string(), itemId: z.string(), status: queueStatus })
  .meta({ id: 'ItemStatus' });

export const exhaustedAnswer = z.strictObject({
  items: z.array(
    z.strictObject({
      itemId: z.string(),
      scheduledExecTime: time,
      initWorkflowId: z.string(),
      retryCount: z.int(),
      lastError: nullableText,
      exhaustedAt: time,
    }),
  ),
  nextCursor: nullableText.describe('For the next page; null on the last'),
});

export const bulkRequeueAnswer = z.strictObject({
  dryRun: z.boolean(),
  matched: z.int().describe('Items that the filter found, up to the limit'),
  requeued: z.int(),
  itemIds: z.array(z.string()).describe('Those requeued, or with dryRun those that would be'),
  refused: z
    .array(z.strictObject({ itemId: z.string(), status: queueStatus.nullable() }))
    .describe('Items that somebody else changed in between; null: removed'),
  more: z.boolean().describe('There are more than the limit; repeat the call'),
});

export const changesAnswer = z.strictObject({
  changes: z.array(
    z.strictObject({
      action: z.string(),
      itemId: nullableText,
      statusBefore: nullableText,
      statusAfter: nullableText,
      detail: nullableText,
      actor: z.string(),
      createdAt: time,
    }),
  ),
  nextCursor: nullableText.describe('For the next page; null on the last'),
});

const exact = z.boolean().describe('False: the count stopped at the cap, and there are at least so many');

export const depthAnswer = z.strictObject({
  itemType: z.string(),
  cap: z.int(),
  statuses: z.array(z.strictObject({ status: queueStatus, count: z.int(), exact })),
  oldestDueSeconds: z.number().describe('How long the oldest READY item is overdue; 0 when none is'),
});

export const minutesAnswer = z.strictObject({
  itemType: z.string(),
  cap: z.int(),
  minutes: z
    .array(z.strictObject({ minute: time, ready: z.int(), exact }))
    .describe('Only minutes that have READY items, oldest first'),
});

export const triggeredAnswer = z.strictObject({ itemType: z.string(), scheduleId: z.string() });
