import { randomBytes, randomUUID } from 'node:crypto';
import { Partitioners, type IHeaders, type Message } from 'kafkajs';
import { createLogger } from '@sluice/service-kit';
import { connectKafka, kafkaDependency, topicsCheck } from './adapters/kafka-client.js';
import { kafkaDeadLetters } from './adapters/kafka-dead-letters.js';
import { kafkaSource } from './adapters/kafka-source.js';
import type { InitWorkflows } from './ports.js';
import { createTakeRequests, type TakeRequests } from './take-requests.js';
import { eventually } from './testing/eventually.js';
import { startPhaseA } from './testing/phase-a-worker.js';

const testName = process.env['TEST_NAME'] ?? 'test';
const log = createLogger({ service: 'ingest', level: 'silent' });
const kafka = connectKafka({
  brokers: (process.env['KAFKA_BROKERS'] ?? '').split(','),
  clientId: testName,
  log,
});
const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
let phaseA: Awaited<ReturnType<typeof startPhaseA>>;

beforeAll(async () => {
  phaseA = await startPhaseA({
    pgUrl: process.env['PG_URL'] ?? '',
    temporalAddress: process.env['TEMPORAL_ADDRESS'] ?? '',
    taskQueue: `kafka-${testName}`,
  });
  await producer.connect();
}, 60_000);
afterAll(async () => {
  await producer.disconnect();
  await phaseA.close();
}, 60_000);

const executeAt = new Date(Date.now() + 86_400_000).toISOString();

function payment(changes: Record<string, unknown> = {}) {
  return {
    paymentId: `p-${randomUUID()}`,
    participantId: 'acme',
    rail: 'ACH',
    amount: { minorUnits: 995, currency: 'USD' },
    destination: { routingNumber: '021000021', accountNumber: '12345' },
    executeAt,
    ...changes,
  };
}

async function makeTopics(name: string, partitions = 1) {
  const topic = `${testName}.${name}`;
  const topics = { topic, deadLetterTopic: `${topic}.dlq`, partitions };
  expect(await topicsCheck(kafka, topics).check()).toEqual([]);
  return topics;
}

const send = (topic: string, messages: Message[]) => producer.send({ topic, messages });
const asMessage = (value: unknown, headers: IHeaders = {}): Message => ({
  key: 'acme',
  value: JSON.stringify(value),
  headers,
});

interface Running {
  readonly topics: Awaited<ReturnType<typeof makeTopics>>;
  readonly workflows?: InitWorkflows;
  readonly wrap?: (take: TakeRequests) => TakeRequests;
  readonly stallMs?: number;
}

/** Consumes as main.ts composes it, until it is stopped. */
function startIntake({ topics, workflows = phaseA.workflows, wrap = (take) => take, stallMs }: Running) {
  const { acceptPayments } = phaseA.composeWith({ workflows });
  const deadLetters = kafkaDeadLetters(kafka, topics.deadLetterTopic);
  const events: string[] = [];
  const metrics = { deadLetters: () => undefined };
  const source = kafkaSource({
    kafka,
    topic: topics.topic,
    groupId: `${topics.topic}-group`,
    take: wrap(createTakeRequests({ acceptPayments, deadLetters, metrics, log, randomBytes })),
    log,
    random: () => 0,
    observe: (event) => events.push(event),
    ...(stallMs === undefined ? {} : { stallMs }),
  });
  const stop = new AbortController();
  let beats = 0;
  const running = source.run(stop.signal, () => (beats += 1));
  return {
    events,
    beats: () => beats,
    async stop() {
      stop.abort();
      await running;
      await deadLetters.close();
    },
  };
}

async function stored(payments: readonly { paymentId: string }[]) {
  const { rows } = await phaseA.pool.query<{ payment_id: string; init_workflow_id: string }>(
    `SELECT p.payment_id, p.init_workflow_id
       FROM payments p JOIN exec_queue q ON q.item_id = p.payment_id AND q.queue_status = 'READY'
      WHERE p.payment_id = ANY ($1)`,
    [payments.map(({ paymentId }) => paymentId)],
  );
  return rows;
}

const untilReady = (payments: readonly { paymentId: string }[]) =>
  eventually(async () => expect(await stored(payments)).toHaveLength(payments.length), 90_000);

async function readAll(topic: string, count: number) {
  const consumer = kafka.consumer({ groupId: `${topic}-${randomUUID()}` });
  const found: { value: string; headers: Record<string, string> }[] = [];
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    async eachMessage({ message }) {
      const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
      found.push({
        value: String(message.value),
        headers: Object.fromEntries(headers) as Record<string, string>,
      });
    },
  });
  await eventually(async () => expect(found).toHaveLength(count), 60_000);
  await consumer.disconnect();
  return found;
}

async function committed(topic: string): Promise<number> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const [offsets] = await admin.fetchOffsets({ groupId: `${topic}-group`, topics: [topic] });
    return (offsets?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(0, Number(offset)), 0);
  } finally {
    await admin.disconnect();
  }
}

describe('payments over Kafka', () => {
  test('come to READY in chunks of up to 200, in every form of a message, each with its trace', async () => {
    const topics = await makeTopics('forms', 2);
    const many = Array.from({ length: 900 }, () => payment());
    const [binary, structured] = [payment(), payment()];
    const traceparent = `00-${'e'.repeat(32)}-${'f'.repeat(16)}-01`;
    await send(
      topics.topic,
      many.map((one, i) => ({ ...asMessage(one), partition: i % 2 })),
    );
    await send(topics.topic, [
      asMessage(binary, {
        ce_specversion: '1.0',
        ce_id: '1',
        ce_source: '/shop',
        ce_type: 'payment.requested',
        traceparent,
      }),
      asMessage({
        specversion: '1.0',
        id: '2',
        source: '/shop',
        type: 'payment.requested',
        data: structured,
      }),
    ]);
    const intake = startIntake({ topics });
    await untilReady([...many, binary, structured]);
    await eventually(async () => expect(await committed(topics.topic)).toBe(902));
    await intake.stop();

    const runs = new Set((await stored(many)).map((row) => row.init_workflow_id));
    expect(runs.size).toBeLessThanOrEqual(27);
    for (const run of runs) expect(run).toMatch(new RegExp(`^init-kafka-${topics.topic}-[01]-\\d+-\\d+$`));
    const { rows } = await phaseA.pool.query<{ context_json: string; sent_by: string }>(
      `SELECT context_json, sent_by FROM exec_context JOIN payment_receipts ON payment_id = item_id WHERE item_id = $1`,
      [binary.paymentId],
    );
    expect(JSON.parse(rows[0]?.context_json ?? '{}')).toMatchObject({ traceparent });
    expect(rows[0]?.sent_by).toMatch(new RegExp(`^${topics.topic}/[01]/\\d+$`));
    expect(intake.beats()).toBeGreaterThan(0);
  }, 180_000);

  test('that can be none are set aside as they were, with the reason, and hold up none of the others', async () => {
    const topics = await makeTopics('dead');
    const [good, invalid] = [payment(), payment({ amount: { minorUnits: 0.5, currency: 'USD' } })];
    await send(topics.topic, [
      { key: 'k', value: '{"paymentId":', headers: { origin: 'shop' } },
      asMessage(invalid),
      asMessage(good),
      asMessage({ ...good, reference: 'other' }),
      asMessage(good),
    ]);
    const intake = startIntake({ topics });
    await untilReady([good]);
    const letters = await readAll(topics.deadLetterTopic, 3);
    await eventually(async () => expect(await committed(topics.topic)).toBe(5));
    await intake.stop();
    expect(letters.map(({ headers }) => [headers['dlq_reason'], headers['dlq_source_offset']])).toEqual([
      ['NOT_JSON', '0'],
      ['INVALID_REQUEST', '1'],
      ['PAYMENT_CONFLICT', '3'],
    ]);
    expect(letters[0]).toMatchObject({
      value: '{"paymentId":',
      headers: { origin: 'shop', dlq_source_topic: topics.topic, dlq_source_partition: '0' },
    });
    expect(letters[1]?.headers['dlq_detail']).toContain('amount.minorUnits');
  }, 180_000);

  test('are not lost and not started twice when the intake dies before its offset is committed', async () => {
    const topics = await makeTopics('redelivered');
    const sent = Array.from({ length: 20 }, () => payment());
    await send(
      topics.topic,
      sent.map((one) => asMessage(one)),
    );
    const starts: string[] = [];
    const counting: InitWorkflows = {
      ...phaseA.workflows,
      async start(run) {
        const outcome = await phaseA.workflows.start(run);
        starts.push(`${run.workflowId} ${outcome.kind}`);
        return outcome;
      },
    };
    let deaths = 0;
    const dying = startIntake({
      topics,
      workflows: counting,
      wrap: (take) => async (messages) => {
        await take(messages);
        deaths += 1;
        throw new Error('killed after the start');
      },
    });
    await eventually(async () => expect(deaths).toBeGreaterThan(0), 60_000);
    await dying.stop();
    expect(await committed(topics.topic)).toBe(0);

    const intake = startIntake({ topics, workflows: counting });
    await untilReady(sent);
    await eventually(async () => expect(await committed(topics.topic)).toBe(20), 60_000);
    await intake.stop();
    const run = `init-kafka-${topics.topic}-0-0-19`;
    expect(starts.filter((start) => start === `${run} started`)).toHaveLength(1);
    expect(new Set((await stored(sent)).map((row) => row.init_workflow_id))).toEqual(new Set([run]));
  }, 180_000);

  test('wait in their partition while Temporal refuses them, and go on by themselves', async () => {
    const topics = await makeTopics('refused');
    const sent = Array.from({ length: 10 }, () => payment());
    await send(
      topics.topic,
      sent.map((one) => asMessage(one)),
    );
    let refusals = 0;
    const refusing: InitWorkflows = {
      ...phaseA.workflows,
      start: (run) =>
        refusals < 3
          ? Promise.resolve({ kind: 'unavailable', cause: new Error(`refusal ${(refusals += 1)}`) })
          : phaseA.workflows.start(run),
    };
    const intake = startIntake({ topics, workflows: refusing });
    await untilReady(sent);
    await eventually(async () => expect(await committed(topics.topic)).toBe(10), 60_000);
    await intake.stop();
    expect(intake.events).toEqual(['paused', 'paused', 'paused']);
  }, 180_000);

  test('are taken up by a new consumer when the watchdog finds the old one stalled', async () => {
    const topics = await makeTopics('stalled');
    const sent = [payment()];
    await send(
      topics.topic,
      sent.map((one) => asMessage(one)),
    );
    let calls = 0;
    const intake = startIntake({
      topics,
      stallMs: 2000,
      wrap: (take) => (messages) => {
        calls += 1;
        return calls === 1
          ? new Promise((resolve) => setTimeout(() => resolve({ kind: 'later', cause: 'stalled' }), 6000))
          : take(messages);
      },
    });
    await untilReady(sent);
    expect(intake.events).toContain('restarted');
    await intake.stop();
  }, 180_000);
});

test('Kafka that is away is a dependency that is not ready', async () => {
  const away = connectKafka({ brokers: ['127.0.0.1:1'], clientId: testName, log });
  const never = new AbortController().signal;
  await expect(kafkaDependency(away).check(never)).rejects.toThrow();
  await expect(kafkaDependency(kafka).check(never)).resolves.toBeUndefined();
});
