import type { Dependency, Logger, StartCheck } from '@sluice/service-kit';
import { Kafka, logLevel, type LogEntry } from 'kafkajs';

export function connectKafka(options: { brokers: readonly string[]; clientId: string; log: Logger }): Kafka {
  return new Kafka({
    clientId: options.clientId,
    brokers: [...options.brokers],
    connectionTimeout: 3000,
    requestTimeout: 10_000,
    retry: { initialRetryTime: 200, maxRetryTime: 5000, retries: 5 },
    logLevel: logLevel.INFO,
    logCreator: () => (entry) => forward(options.log, entry),
  });
}

function forward(log: Logger, { level, namespace, log: entry }: LogEntry): void {
  const { message, timestamp: _timestamp, ...details } = entry;
  const line = { kafka: { namespace, ...details } };
  if (level === logLevel.ERROR) log.error(line, message);
  else if (level === logLevel.WARN) log.warn(line, message);
  else log.debug(line, message);
}

export interface RequestTopics {
  readonly topic: string;
  readonly deadLetterTopic: string;
  /** Of the topic, if it has to be made. */
  readonly partitions: number;
}

/** Makes the topics that are missing before anything is consumed; those that exist are left as they are. */
export function topicsCheck(kafka: Kafka, topics: RequestTopics): StartCheck {
  return {
    name: 'kafka topics',
    async check() {
      await ensureTopics(kafka, topics);
      return [];
    },
  };
}

async function ensureTopics(
  kafka: Kafka,
  { topic, deadLetterTopic, partitions }: RequestTopics,
): Promise<void> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const existing = new Set(await admin.listTopics());
    const { brokers } = await admin.describeCluster();
    const replicationFactor = Math.min(3, brokers.length);
    // Three replicas of which two must have a message: one broker may be lost, and with it no payment.
    const durability = replicationFactor >= 3 ? [{ name: 'min.insync.replicas', value: '2' }] : [];
    const wanted = [
      { topic, numPartitions: partitions, replicationFactor, configEntries: durability },
      {
        topic: deadLetterTopic,
        numPartitions: 1,
        replicationFactor,
        // A dead letter is its message and the reason, so it may be larger than the largest message; and it waits for people.
        configEntries: [
          ...durability,
          { name: 'max.message.bytes', value: '2097152' },
          { name: 'retention.ms', value: '2592000000' },
        ],
      },
    ];
    const missing = wanted.filter((one) => !existing.has(one.topic));
    if (missing.length > 0)
      await admin.createTopics({ waitForLeaders: true, timeout: 10_000, topics: missing });
  } finally {
    await admin.disconnect();
  }
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
