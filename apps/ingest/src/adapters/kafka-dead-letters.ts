import { CompressionTypes, Partitioners, type Kafka, type Producer } from 'kafkajs';
import type { Closable } from '@sluice/service-kit';
import type { DeadLetters } from '../take-requests.js';

/** Dead letters in Kafka. Few come, so that the producer connects with the first and again after a failure. */
export function kafkaDeadLetters(kafka: Kafka, topic: string): DeadLetters & Closable {
  let connected: Promise<Producer> | undefined;

  async function connect(): Promise<Producer> {
    const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    return producer;
  }

  return {
    name: 'dead letters',
    async send(messages) {
      connected ??= connect();
      try {
        const producer = await connected;
        await producer.send({
          topic,
          acks: -1,
          timeout: 10_000,
          compression: CompressionTypes.None,
          messages: messages.map(({ key, value, headers }) => ({ key, value, headers: { ...headers } })),
        });
      } catch (error) {
        const failed = connected;
        connected = undefined;
        await failed.then((producer) => producer.disconnect()).catch(() => undefined);
        throw error;
      }
    },
    async close() {
      await (await connected)?.disconnect();
    },
  };
}
