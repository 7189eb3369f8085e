// Sends dead letters back to the events topic: `node redrive/main.js [--dry-run] [--reason NOT_JSON] [--limit 100]`.
import { parseArgs } from 'node:util';
import { createLogger, parseEnvironment } from '@sluice/service-kit';
import { z } from 'zod';
import { createDeadLetterSource } from '../adapters/kafka-dead-letters.js';
import { connectKafka } from '../adapters/kafka-client.js';
import { createKafkaSink } from '../adapters/kafka-sink.js';
import { environment } from '../config.js';
import { redriveDeadLetters } from '../redrive-dead-letters.js';

const options = z.object({
  'dry-run': z.boolean().default(false),
  reason: z.string().optional(),
  limit: z.coerce.number().int().min(1).default(1_000),
});

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { 'dry-run': { type: 'boolean' }, reason: { type: 'string' }, limit: { type: 'string' } },
  });
  const { 'dry-run': dryRun, reason, limit } = options.parse(values);
  const { KAFKA_BROKERS, SLUICE_EVENTS_TOPIC } = environment.shape;
  const variables = { KAFKA_BROKERS, SLUICE_EVENTS_TOPIC };
  const parsed = parseEnvironment(z.object(variables), pick(process.env, Object.keys(variables)));
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems));
  const { KAFKA_BROKERS: brokers, SLUICE_EVENTS_TOPIC: topic } = parsed.config;
  const log = createLogger({ service: 'redrive', level: 'warn' });
  const kafka = connectKafka({ brokers, clientId: 'webhook-relayer-redrive', log });
  const sink = createKafkaSink({ kafka, log });
  try {
    const source = createDeadLetterSource({ kafka, topic: `${topic}.dlq`, groupId: `${topic}.redrive` });
    const result = await redriveDeadLetters({ source, sink, topic, dryRun, reason, limit });
    process.stdout.write(`${JSON.stringify({ dryRun, ...result }, null, 2)}\n`);
  } finally {
    await sink.close();
  }
}

function pick(from: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
