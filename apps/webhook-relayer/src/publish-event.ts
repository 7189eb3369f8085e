import { createHash } from 'node:crypto';
import { pause } from '@sluice/service-kit';
import type { Clock } from '@sluice/service-kit';
import type { Admitted, EventAdmissions } from './api-ports.js';
import { eventMessage, parseEvent } from './event.js';
import type { ParsedEvent } from './event.js';
import type { MessageSink, OutgoingMessage } from './ports.js';

export interface PublishParts {
  readonly sink: MessageSink;
  readonly admissions: EventAdmissions;
  readonly topic: string;
  readonly clock: Clock;
  readonly newId: () => string;
  /** How long Kafka has to answer. */
  readonly timeLimitMs: number;
}

export interface PublishRequest {
  readonly tenantId: string;
  /** The event as the producer sent it. */
  readonly bytes: Buffer;
  /** What it says of itself; what is missing is added. */
  readonly id?: string | undefined;
  readonly time?: string | undefined;
  /** The id for an event that does not contain one. */
  readonly idempotencyKey?: string | undefined;
}

export type Published =
  | { readonly kind: 'accepted'; readonly id: string }
  | { readonly kind: 'malformed'; readonly detail: string }
  /** Another event has this id. */
  | { readonly kind: 'conflict'; readonly id: string }
  /** Kafka did not acknowledge it, and may have it all the same. */
  | { readonly kind: 'unavailable'; readonly id: string };

export type Publish = (request: PublishRequest) => Promise<Published>;

/** Sends an event to the topic as it came in, and answers when Kafka has it. */
export function createPublish(parts: PublishParts): Publish {
  return async (request) => {
    const chosenId = request.id ?? request.idempotencyKey;
    const id = chosenId ?? `evt_${parts.newId()}`;
    const now = parts.clock.now();
    const parsed = complete(request, id, now);
    if (parsed.kind === 'malformed') return { kind: 'malformed', detail: parsed.detail };

    const sha256 = createHash('sha256').update(request.bytes).digest();
    const admission = { tenantId: request.tenantId, eventId: id, sha256, occurredAt: now };
    let { event } = parsed;
    // An id that was made here is new; only one that a producer chose can be there already.
    if (chosenId !== undefined) {
      const admitted = await parts.admissions.admit(admission);
      if (!isSameEvent(admitted, request.bytes, sha256)) return { kind: 'conflict', id };
      if (admitted.kind === 'stored') return { kind: 'accepted', id };
      if (admitted.kind === 'known') {
        if (admitted.isStored) return { kind: 'accepted', id };
        const repeated = complete(request, id, admitted.occurredAt);
        if (repeated.kind === 'event') ({ event } = repeated);
      }
    }
    if (await isAcknowledged(parts, eventMessage(parts.topic, event))) return { kind: 'accepted', id };
    // Noted now, so that the same bytes under this id become the same event. Without it the producer can still try.
    if (chosenId === undefined) await parts.admissions.admit(admission).catch(() => undefined);
    return { kind: 'unavailable', id };
  };
}

/** The event with the id and the time that it may have come without. */
function complete({ bytes, tenantId, ...given }: PublishRequest, id: string, time: Date): ParsedEvent {
  const missing = {
    ...(given.id === undefined ? { id } : {}),
    ...(given.time === undefined ? { time: time.toISOString() } : {}),
  };
  return parseEvent(withFields(bytes, missing), { tenantId });
}

function isSameEvent(admitted: Admitted, bytes: Buffer, sha256: Buffer): boolean {
  if (admitted.kind === 'known') return admitted.sha256.equals(sha256);
  return admitted.kind === 'admitted' || admitted.body.equals(bytes);
}

async function isAcknowledged(
  { sink, timeLimitMs }: PublishParts,
  message: OutgoingMessage,
): Promise<boolean> {
  const answered = new AbortController();
  const sent = sink.send([message]).then(
    () => true,
    () => false,
  );
  const acknowledged = await Promise.race([sent, pause(timeLimitMs, answered.signal).then(() => false)]);
  answered.abort();
  return acknowledged;
}

/**
 * Adds fields at the beginning of a JSON object without touching the bytes of the rest: to parse and write it anew would
 * change numbers such as 1.10 and those beyond 2^53.
 */
export function withFields(object: Buffer, fields: Readonly<Record<string, string>>): Buffer {
  const brace = object.indexOf('{');
  const added = JSON.stringify(fields).slice(1, -1);
  if (added === '' || brace === -1) return object;
  const isEmpty = /^\s*\}/.test(object.subarray(brace + 1).toString('utf8'));
  const prefix = Buffer.from(`{${added}${isEmpty ? '' : ','}`);
  return Buffer.concat([prefix, object.subarray(brace + 1)]);
}
