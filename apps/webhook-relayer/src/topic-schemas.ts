import { z } from 'zod';
import { deadLetterReasons, eventId, eventJson, eventSource } from './event.js';
import { eventType } from './event-type.js';
import { tenantId } from './tenant.js';

// What is on the topics, for their description. A test holds what is sent against these.

export const eventPayload = eventJson
  .extend({ data: z.unknown().describe('Whatever the producer wants to tell') })
  .describe('The bytes are stored, signed and sent to subscribers as they are');

export const eventKey = z
  .string()
  .max(400)
  .describe(
    'Events with one key keep their order; the subject, or else the id, when the producer names none',
  );

const redrives = z.string().regex(/^\d+$/).describe('How often it was sent back from the dead letters');

/** Of CloudEvents; only the tenant is read from them, the rest is for tools that route by headers. */
const cloudEventHeaders = {
  ce_specversion: z.literal('1.0'),
  ce_id: eventId,
  ce_type: eventType,
  ce_source: eventSource,
  ce_time: z.iso.datetime(),
  ce_tenantid: tenantId.describe('Whose event it is; the tenant `default` when it is absent'),
  'content-type': z.literal('application/json'),
  dlq_redrives: redrives,
};

export const eventHeaders = z.looseObject(cloudEventHeaders).partial();

export const deadLetterHeaders = z
  .looseObject({
    dlq_reason: z.enum(deadLetterReasons),
    dlq_detail: z.string(),
    dlq_source_topic: z.string(),
    dlq_source_partition: z.string().regex(/^\d+$/),
    dlq_source_offset: z.string().regex(/^\d+$/),
    dlq_redrives: redrives.optional(),
  })
  .describe('All headers of the message as it came, and why and from where it came here');
