import type { Logger } from '@sluice/service-kit';
import { deadLetter, parseEvent } from './event.js';
import type { DeadLetterReason } from './event.js';
import type { Metrics } from './metrics.js';
import type { EventStore, IncomingMessage, MessageHandler, MessageSink, ReceivedEvent } from './ports.js';

export interface StoreEventsParts {
  readonly events: EventStore;
  readonly sink: MessageSink;
  readonly deadLetterTopic: string;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Called when deliveries wait that did not wait before. */
  readonly onDeliveries: () => void;
}

interface Refused {
  readonly message: IncomingMessage;
  readonly reason: DeadLetterReason;
  readonly detail: string;
}

/**
 * Takes messages in: events and their deliveries are stored, what cannot be an event becomes a dead letter. It can be
 * repeated at any point, since an event is stored once by its id.
 */
export function createStoreEvents(parts: StoreEventsParts): MessageHandler {
  const { events, sink, metrics, log } = parts;
  return async (messages, heartbeat) => {
    const accepted: { message: IncomingMessage; event: ReceivedEvent }[] = [];
    const refused: Refused[] = [];
    for (const message of messages) {
      await heartbeat();
      const parsed = parseEvent(message.value, message.key);
      if (parsed.kind === 'malformed') refused.push({ message, ...parsed });
      else accepted.push({ message, event: { ...parsed.event, origin: originOf(message) } });
    }

    const { outcomes, deliveries } = await events.store(accepted.map(({ event }) => event));
    if (deliveries > 0) parts.onDeliveries();
    accepted.forEach(({ message, event }, at) => {
      if (outcomes[at] !== 'conflict') return;
      refused.push({ message, reason: 'EVENT_ID_CONFLICT', detail: `another event has the id ${event.id}` });
    });

    await sink.send(refused.map(({ message, ...why }) => deadLetter(parts.deadLetterTopic, message, why)));
    for (const outcome of outcomes) if (outcome !== 'conflict') metrics.messages.inc({ result: outcome });
    for (const { message, reason, detail } of refused) {
      metrics.messages.inc({ result: reason });
      log.warn(
        { partition: message.partition, offset: message.offset, reason, detail },
        'a message became a dead letter',
      );
    }
  };
}

function originOf({ topic, partition, offset }: IncomingMessage): ReceivedEvent['origin'] {
  return { topic, partition, offset };
}
