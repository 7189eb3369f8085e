import { z } from 'zod';
import { deadLetterHeaders, eventHeaders, eventKey, eventPayload } from './topic-schemas.js';

export type AsyncApiDocument = Readonly<Record<string, unknown>> & { readonly asyncapi: '3.1.0' };

/** AsyncAPI 3 of the topics under their usual names, from the schemas that messages are parsed with. */
export function asyncApiDocument(version: string): AsyncApiDocument {
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Sluice events',
      version,
      description: 'Events on their way to webhooks, and those that cannot become any.',
    },
    defaultContentType: 'application/json',
    channels: {
      eventsPending: {
        address: 'events.pending',
        description:
          'Every event that subscribers are to be told of. Delivered at least once; the id tells repetitions.',
        messages: { event: { $ref: '#/components/messages/event' } },
        bindings: { kafka: { topic: 'events.pending', partitions: 6, bindingVersion: '0.5.0' } },
      },
      eventsPendingDeadLetters: {
        address: 'events.pending.dlq',
        description: 'Messages that are no event, or have the id of another one, kept for 30 days.',
        messages: { deadLetter: { $ref: '#/components/messages/deadLetter' } },
        bindings: {
          kafka: {
            topic: 'events.pending.dlq',
            partitions: 1,
            topicConfiguration: { 'retention.ms': 2_592_000_000, 'max.message.bytes': 2_097_152 },
            bindingVersion: '0.5.0',
          },
        },
      },
    },
    operations: {
      publishEvent: operation(
        'send',
        'eventsPending',
        'From the outbox and from `POST /events`, acknowledged by all replicas',
      ),
      storeEvent: operation(
        'receive',
        'eventsPending',
        'Stores the event and a delivery for each subscription',
      ),
      setAside: operation(
        'send',
        'eventsPendingDeadLetters',
        'Keeps a message that cannot be stored, unchanged',
      ),
      redrive: operation(
        'receive',
        'eventsPendingDeadLetters',
        'Sends dead letters to the topic they came from, by a command',
      ),
    },
    components: { messages: { event: eventMessage(), deadLetter: deadLetterMessage() } },
  };
}

function operation(action: 'send' | 'receive', channel: string, summary: string) {
  return { action, channel: { $ref: `#/channels/${channel}` }, summary };
}

function eventMessage() {
  return {
    title: 'Event',
    contentType: 'application/json',
    headers: jsonSchema(eventHeaders),
    payload: jsonSchema(eventPayload),
    bindings: { kafka: { key: jsonSchema(eventKey), bindingVersion: '0.5.0' } },
    examples: [
      {
        name: 'accepted',
        headers: { ce_specversion: '1.0', ce_id: 'evt-p1-payment.accepted', ce_type: 'payment.accepted' },
        payload: {
          id: 'evt-p1-payment.accepted',
          type: 'payment.accepted',
          source: 'sluice',
          time: '2026-06-01T16:00:00.000Z',
          data: { paymentId: 'p1', status: 'ACCEPTED' },
        },
      },
    ],
  };
}

function deadLetterMessage() {
  return {
    title: 'Dead letter',
    contentType: 'application/octet-stream',
    headers: jsonSchema(deadLetterHeaders),
    payload: { description: 'The bytes as they came, whatever they are' },
  };
}

/** Draft 7 is what AsyncAPI takes without another parser; its tools know the format without the half page of pattern. */
function jsonSchema(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _draft, ...written } = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override({ jsonSchema: part }) {
      if (part.format === 'date-time') delete part.pattern;
    },
  });
  return written;
}
