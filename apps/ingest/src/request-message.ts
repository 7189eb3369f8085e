import { validateRequest, type PaymentRequest } from '@sluice/payments';
import { z } from 'zod';

export type HeaderValue = Buffer | string | (Buffer | string)[] | undefined;

/** A message of the topic, as the broker keeps it. */
export interface IncomingMessage {
  readonly topic: string;
  readonly partition: number;
  readonly offset: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, HeaderValue>>;
}

/** Why a message is set aside, and what its producer can do. */
export const deadLetterReasons = {
  EMPTY: 'The message has no value.',
  NOT_JSON: 'The value is not JSON in UTF-8.',
  WRONG_ENVELOPE: 'It looks like a CloudEvent and is none of version 1.0 with JSON data.',
  WRONG_TYPE: 'It is a CloudEvent of another type than `payment.requested`.',
  INVALID_REQUEST: 'The request is not a payment; the detail names every field that is wrong.',
  PAYMENT_CONFLICT: 'Another payment has this id; nothing was changed.',
} as const;
export type DeadLetterReason = keyof typeof deadLetterReasons;

export type ReadMessage =
  | { readonly kind: 'request'; readonly request: PaymentRequest; readonly traceparent: string | undefined }
  | { readonly kind: 'dead'; readonly reason: DeadLetterReason; readonly detail: string };

export const requestEventType = 'payment.requested';

const Envelope = z.looseObject({
  specversion: z.literal('1.0'),
  id: z.string().min(1),
  source: z.string().min(1),
  type: z.string().min(1),
  datacontenttype: z
    .string()
    .regex(/^application\/(?:[a-z0-9.+-]+\+)?json(?:;.*)?$/i)
    .optional(),
  traceparent: z.string().optional(),
  data: z.unknown().optional(),
  data_base64: z.base64().optional(),
});

/**
 * The request in a message: plain JSON, a CloudEvent in binary form (attributes in `ce_` headers, data as the value), or one
 * in structured form (the value is the whole envelope).
 */
export function readRequestMessage(message: IncomingMessage): ReadMessage {
  const { value } = message;
  if (value === null || value.length === 0) return dead('EMPTY', 'the message has no value');
  const json = parseJson(value);
  if (json === undefined) return dead('NOT_JSON', 'the value is not JSON in UTF-8');
  const header = (name: string): string | undefined => textOf(message.headers[name]);
  const traceparent = header('traceparent') ?? header('ce_traceparent');

  if (isStructured(header('content-type'), json.value)) return readEnvelope(json.value, traceparent);
  if (header('ce_specversion') !== undefined || header('ce_type') !== undefined) {
    const envelope = Envelope.safeParse({
      specversion: header('ce_specversion'),
      id: header('ce_id'),
      source: header('ce_source'),
      type: header('ce_type'),
      datacontenttype: header('content-type'),
    });
    if (!envelope.success) return wrongEnvelope(envelope.error);
    if (envelope.data.type !== requestEventType) return wrongType(envelope.data.type);
  }
  return readRequest(json.value, traceparent);
}

function isStructured(contentType: string | undefined, value: unknown): boolean {
  if (contentType?.toLowerCase().startsWith('application/cloudevents+json') === true) return true;
  return typeof value === 'object' && value !== null && 'specversion' in value;
}

function readEnvelope(value: unknown, headerTrace: string | undefined): ReadMessage {
  const envelope = Envelope.safeParse(value);
  if (!envelope.success) return wrongEnvelope(envelope.error);
  const { type, data, data_base64: encoded, traceparent } = envelope.data;
  if (type !== requestEventType) return wrongType(type);
  if (encoded === undefined) return readRequest(data, headerTrace ?? traceparent);
  const decoded = parseJson(Buffer.from(encoded, 'base64'));
  if (decoded === undefined) return dead('NOT_JSON', 'data_base64 is not JSON in UTF-8');
  return readRequest(decoded.value, headerTrace ?? traceparent);
}

function readRequest(value: unknown, traceparent: string | undefined): ReadMessage {
  const validation = validateRequest(value);
  if (validation.kind === 'invalid') return dead('INVALID_REQUEST', validation.reason.detail);
  return { kind: 'request', request: validation.request, traceparent };
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return { value };
  } catch {
    return undefined;
  }
}

function textOf(value: HeaderValue): string | undefined {
  const one = Array.isArray(value) ? value[0] : value;
  return one?.toString();
}

function wrongEnvelope(error: z.ZodError): ReadMessage {
  const fields = error.issues.map(({ path }) => path.join('.') || 'the value');
  return dead('WRONG_ENVELOPE', `these attributes are missing or wrong: ${fields.join(', ')}`);
}

function wrongType(type: string): ReadMessage {
  return dead('WRONG_TYPE', `expected ${requestEventType}, found ${JSON.stringify(type.slice(0, 100))}`);
}

function dead(reason: DeadLetterReason, detail: string): ReadMessage {
  return { kind: 'dead', reason, detail };
}
