import type { Destination } from '@sluice/outbox';
import { eventMessage, parseEvent } from './event.js';
import type { MessageSink } from './ports.js';

/**
 * Where the outbox's events go. The participant is the ordering key; the relay has one event of it in flight at a time, so
 * events of one payment reach Kafka in their order. A repeated send is harmless: consumers know an event by its id.
 */
export function createEventDestination(parts: {
  readonly sink: MessageSink;
  readonly topic: string;
}): Destination {
  return {
    recognisesKeys: true,
    async send({ payload, participantId }) {
      const { tenantId, event } = withoutTenant(payload);
      const parsed = parseEvent(Buffer.from(JSON.stringify(event) ?? ''), { key: participantId, tenantId });
      if (parsed.kind === 'malformed') {
        return { kind: 'terminal', code: `EVENT_${parsed.reason}`, message: parsed.detail };
      }
      try {
        await parts.sink.send([eventMessage(parts.topic, parsed.event)]);
      } catch (error) {
        const message = error instanceof Error ? error.message : 'the send failed';
        return { kind: 'unknown', code: 'KAFKA_UNAVAILABLE', message };
      }
      return { kind: 'executed', reference: parsed.event.id };
    },
  };
}

/** The service's own events name their tenant beside the event; to customers it says nothing. */
function withoutTenant(payload: unknown): { tenantId: string | undefined; event: unknown } {
  if (typeof payload !== 'object' || payload === null || !('tenantId' in payload)) {
    return { tenantId: undefined, event: payload };
  }
  const { tenantId, ...event } = payload;
  return { tenantId: typeof tenantId === 'string' ? tenantId : undefined, event };
}
