import type { Clock } from '@sluice/service-kit';
import { eventMessage, parseEvent } from './event.js';
import type { MessageSink } from './ports.js';

export interface PublishParts {
  readonly sink: MessageSink;
  readonly topic: string;
  readonly clock: Clock;
  readonly newId: () => string;
}

export type Publish = (
  bytes: Buffer,
  given: { readonly id?: string | undefined; readonly time?: string | undefined },
) => Promise<
  | { kind: 'accepted'; id: string }
  | { kind: 'malformed'; detail: string }
  | { kind: 'unavailable'; id: string }
>;

/** Sends an event to the topic as it came in, and answers when Kafka has it. */
export function createPublish({ sink, topic, clock, newId }: PublishParts): Publish {
  return async (bytes, given) => {
    const missing = {
      ...(given.id === undefined ? { id: `evt_${newId()}` } : {}),
      ...(given.time === undefined ? { time: clock.now().toISOString() } : {}),
    };
    const parsed = parseEvent(withFields(bytes, missing));
    if (parsed.kind === 'malformed') return { kind: 'malformed', detail: parsed.detail };
    try {
      await sink.send([eventMessage(topic, parsed.event)]);
    } catch {
      return { kind: 'unavailable', id: parsed.event.id };
    }
    return { kind: 'accepted', id: parsed.event.id };
  };
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
