import type { Logger } from '@sluice/service-kit';
import type { DeliveryEngine } from './delivery-engine.js';
import { deadLetter, parseMessage } from './event.js';
import type { DeadLetterReason } from './event.js';
import { gather } from './gather.js';
import type { Bulk } from './gather.js';
import type { Metrics } from './metrics.js';
import type {
  EventStore,
  IncomingMessage,
  MessageHandler,
  MessageSink,
  ReceivedEvent,
  StoredEvents,
  StoreOutcome,
} from './ports.js';

export interface StoreEventsParts {
  readonly events: EventStore;
  readonly sink: MessageSink;
  readonly deadLetterTopic: string;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Where first attempts go as soon as their events are stored. */
  readonly engine: Pick<DeliveryEngine, 'offer' | 'accept'>;
}

/** Events in one transaction. */
const MAX_STORED_AT_ONCE = 250;

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
  const { sink, metrics, log } = parts;
  const store = createStore(parts);
  return async (messages, heartbeat) => {
    const accepted: { message: IncomingMessage; event: ReceivedEvent }[] = [];
    const refused: Refused[] = [];
    for (const message of messages) {
      await heartbeat();
      const parsed = parseMessage(message);
      if (parsed.kind === 'malformed') refused.push({ message, ...parsed });
      else accepted.push({ message, event: { ...parsed.event, origin: originOf(message) } });
    }

    const outcomes = accepted.length === 0 ? [] : await store(accepted.map(({ event }) => event));
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

/** Messages of several partitions are stored together; first attempts begin as soon as they are. */
function createStore({ events, engine }: StoreEventsParts): Bulk<ReceivedEvent, StoreOutcome> {
  return gather(async (received) => {
    const offer = await engine.offer(received.length);
    let stored: StoredEvents = { outcomes: [], claims: [], waiting: 0 };
    try {
      stored = await events.store(received, offer);
      return stored.outcomes;
    } finally {
      engine.accept(offer, stored);
    }
  }, MAX_STORED_AT_ONCE);
}

function originOf({ topic, partition, offset }: IncomingMessage): ReceivedEvent['origin'] {
  return { topic, partition, offset };
}
