import type { Dependency, Logger, StartCheck } from '@sluice/service-kit';
import { Kafka, logLevel } from 'kafkajs';
import type { LogEntry } from 'kafkajs';

export function connectKafka(options: { brokers: readonly string[]; clientId: string; log: Logger }): Kafka {
  return new Kafka({
    clientId: options.clientId,
    brokers: [...options.brokers],
    connectionTimeout: 3_000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 200, maxRetryTime: 5_000, retries: 5 },
    logLevel: logLevel.INFO,
    logCreator: () => (entry) => forward(options.log, entry),
  });
}

function forward(
  log: Logger,
  { level, namespace, log: { message, timestamp: _timestamp, ...details } }: LogEntry,
): void {
  const line = { kafka: { namespace, ...details } };
  if (level === logLevel.ERROR) log.error(line, message);
  else if (level === logLevel.WARN) log.warn(line, message);
  else log.debug(line, message);
}

export interface TopicSpec {
  readonly topic: string;
  readonly partitions: number;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Creates the topics that are missing; those that exist are left as they are. */
export async function ensureTopics(kafka: Kafka, specs: readonly TopicSpec[]): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const existing = new Set(await admin.listTopics());
    const missing = specs.filter(({ topic }) => !existing.has(topic));
    if (missing.length === 0) return;
    const { brokers } = await admin.describeCluster();
    const replicationFactor = Math.min(3, brokers.length);
    // Three replicas of which two must have a message: one broker may be lost, and with it no event.
    const durability = replicationFactor >= 3 ? { 'min.insync.replicas': '2' } : {};
    await admin.createTopics({
      waitForLeaders: true,
      timeout: 10_000,
      topics: missing.map(({ topic, partitions, settings }) => ({
        topic,
        numPartitions: partitions,
        replicationFactor,
        configEntries: Object.entries({ ...durability, ...settings }).map(([name, value]) => ({
          name,
          value,
        })),
      })),
    });
  } finally {
    await admin.disconnect();
  }
}

export interface EventTopics {
  readonly topic: string;
  readonly deadLetterTopic: string;
  readonly partitions: number;
}

/** Makes sure of the topics before anything is sent or consumed: with them missing, both would fail for ever. */
export function topicsCheck(kafka: Kafka, { topic, deadLetterTopic, partitions }: EventTopics): StartCheck {
  return {
    name: 'kafka topics',
    async check() {
      await ensureTopics(kafka, [
        { topic, partitions },
        // A dead letter is its message and the reason, so it may be larger than the largest message; and it waits for a human.
        {
          topic: deadLetterTopic,
          partitions: 1,
          settings: { 'max.message.bytes': '2097152', 'retention.ms': '2592000000' },
        },
      ]);
      return [];
    },
  };
}

export function kafkaDependency(kafka: Kafka): Dependency {
  return {
    name: 'kafka',
    async check(signal) {
      signal.throwIfAborted();
      const admin = kafka.admin({ retry: { retries: 0 } });
      try {
        await admin.connect();
        await admin.describeCluster();
      } finally {
        await admin.disconnect();
      }
    },
  };
}
