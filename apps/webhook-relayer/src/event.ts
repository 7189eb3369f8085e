import { z } from 'zod';
import { eventType } from './event-type.js';
import type { IncomingMessage, OutgoingMessage } from './ports.js';
import { DEFAULT_TENANT, TENANT_HEADER, tenantOf } from './tenant.js';

/** An event on its way to subscribers. `body` holds the very bytes that came in; they are what is signed and sent. */
export interface WebhookEvent {
  readonly tenantId: string;
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly occurredAt: Date;
  /** Events with the same key keep their order in Kafka. */
  readonly orderingKey: string;
  readonly body: Buffer;
}

// PostgreSQL's text takes no NUL, and control characters have no place in a header.
const printable = z.string().regex(/^[^\p{Cc}]*$/u, 'expected text without control characters');

export const eventId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,200}$/, 'expected 1 to 200 letters, digits and . _ : -');
export const eventSource = printable.min(1).max(200);
export const eventTime = z.iso
  .datetime({ offset: true })
  .refine((time) => Date.parse(time) >= 0, 'expected a time since 1970');
export const eventSubject = printable.min(1).max(200);

/** Fields that are not known here are let through: a producer may be newer than this consumer. */
export const eventJson = z.looseObject({
  id: eventId,
  type: eventType,
  source: eventSource,
  time: eventTime,
  subject: eventSubject.optional(),
  data: z.unknown().refine((data) => data !== undefined, 'required'),
});

const malformedReasons = [
  'EMPTY',
  'NOT_UTF8',
  'NOT_JSON',
  'WRONG_SHAPE',
  'WRONG_KEY',
  'WRONG_TENANT',
] as const;
export type MalformedReason = (typeof malformedReasons)[number];

export type ParsedEvent =
  | { readonly kind: 'event'; readonly event: WebhookEvent }
  | { readonly kind: 'malformed'; readonly reason: MalformedReason; readonly detail: string };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads the event and the tenant of a message. */
export function parseMessage({ value, key, headers }: Omit<OutgoingMessage, 'topic'>): ParsedEvent {
  const tenant = tenantOf(headers);
  if (tenant.kind === 'malformed')
    return malformed('WRONG_TENANT', `the header ${TENANT_HEADER} names no tenant`);
  return parseEvent(value, { key, tenantId: tenant.tenantId });
}

export interface EventContext {
  readonly key?: Buffer | string | null;
  /** Absent: the default tenant. */
  readonly tenantId?: string | undefined;
}

/** Reads an event from its bytes. Without a key the subject, or else the id, says what it keeps its order with. */
export function parseEvent(body: Buffer | null, { key, tenantId }: EventContext = {}): ParsedEvent {
  if (body === null || body.length === 0) return malformed('EMPTY', 'the message has no value');
  const json = parseJson(body);
  if (json.kind === 'malformed') return json;
  const parsed = eventJson.safeParse(json.value);
  if (!parsed.success) return malformed('WRONG_SHAPE', describe(parsed.error));
  const { id, type, source, time, subject } = parsed.data;
  const orderingKey = printable.max(400).safeParse(key?.toString() ?? subject ?? id);
  if (!orderingKey.success)
    return malformed('WRONG_KEY', 'the key is longer than 400 or has control characters');
  const event = { tenantId: tenantId ?? DEFAULT_TENANT, id, type, source, occurredAt: new Date(time), body };
  return { kind: 'event', event: { ...event, orderingKey: orderingKey.data } };
}

type ParsedJson =
  { readonly kind: 'json'; readonly value: unknown } | Extract<ParsedEvent, { kind: 'malformed' }>;

function parseJson(body: Buffer): ParsedJson {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch {
    return malformed('NOT_UTF8', 'the value is not UTF-8');
  }
  try {
    return { kind: 'json', value: JSON.parse(text) };
  } catch {
    return malformed('NOT_JSON', 'the value is not JSON');
  }
}

function malformed(reason: MalformedReason, detail: string): Extract<ParsedEvent, { kind: 'malformed' }> {
  return { kind: 'malformed', reason, detail };
}

function describe(error: z.ZodError): string {
  const lines = error.issues.map((issue) => `${issue.path.join('.') || 'the value'}: ${issue.message}`);
  return lines.join('; ').slice(0, 500);
}

/** The event as a message, with its attributes in headers as CloudEvents names them. */
export function eventMessage(topic: string, event: WebhookEvent): OutgoingMessage {
  return {
    topic,
    key: event.orderingKey,
    value: event.body,
    headers: {
      ce_specversion: '1.0',
      ce_id: event.id,
      ce_type: event.type,
      ce_source: event.source,
      ce_time: event.occurredAt.toISOString(),
      ...(event.tenantId === DEFAULT_TENANT ? {} : { [TENANT_HEADER]: event.tenantId }),
      'content-type': 'application/json',
    },
  };
}

export const deadLetterReasons = [...malformedReasons, 'EVENT_ID_CONFLICT'] as const;
export type DeadLetterReason = (typeof deadLetterReasons)[number];

/** A message that cannot become an event, unchanged, with the reason and its origin added to its headers. */
export function deadLetter(
  topic: string,
  message: IncomingMessage,
  why: { readonly reason: DeadLetterReason; readonly detail: string },
): OutgoingMessage {
  return {
    topic,
    key: message.key,
    value: message.value,
    headers: {
      ...message.headers,
      dlq_reason: why.reason,
      dlq_detail: why.detail,
      dlq_source_topic: message.topic,
      dlq_source_partition: String(message.partition),
      dlq_source_offset: message.offset,
    },
  };
}
