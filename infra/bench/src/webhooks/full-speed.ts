import { Kafka, Partitioners, logLevel } from 'kafkajs';
import { Agent, request } from 'undici';
import type { BenchPart, MeasuredRun } from '../bench.js';
import { describePostgres } from '../databases.js';
import { median, rotated } from '../statistics.js';
import { times, whole } from '../table.js';
import { followArrivals } from './arrivals.js';
import { eventJson } from './events.js';
import { migrateWebhooks, startRelayer, startSink } from './processes.js';
import type { Sink } from './processes.js';
import { endpointsBelow, subscribeAll } from './subscriptions.js';
import type { Endpoint } from './subscriptions.js';

const endpointCount = 100;
/** Requests in flight, here as there. */
const concurrency = 256;
const batch = 1_000;

const ours = 'webhook-relayer: Kafka, store, sign, send, record';
const bare = 'bare undici loop';

export const fullSpeed: BenchPart = {
  letter: 'b',
  title: 'deliveries at full speed, through the service and without it',
  defaultRows: 20_000,
  async run({ startServers, rows, repeats, repository, say }) {
    const stack = await startServers({ only: ['postgres', 'kafka', 'redis'] });
    await migrateWebhooks({ stack, repository });
    const sink = await startSink(stack, repository);
    const topic = 'bench.speed';
    const relayer = await startRelayer({ stack, repository, topic });
    const endpoints = endpointsBelow(`${sink.url}/hooks/speed`, endpointCount, 'speed');
    await subscribeAll(relayer, endpoints);
    const kafka = new Kafka({ brokers: [stack.addresses.kafkaBrokers], logLevel: logLevel.NOTHING });
    const arrivals = followArrivals(sink, '/hooks/speed');
    const runs: MeasuredRun[] = [];
    let expected = 0;
    const deliverAll = async (prefix: string) => {
      const began = Date.now();
      await publishAll(kafka, { topic, prefix, endpoints, rows });
      expected += rows;
      const before = arrivals.repeated();
      await arrivals.waitFor(expected);
      const repeated = arrivals.repeated() - before;
      const arrived = [...arrivals.firstAt].filter(([id]) => id.startsWith(`${prefix}-`)).map(([, at]) => at);
      const ms = arrived.reduce((last, at) => Math.max(last, at), began) - began;
      return { perSecond: (arrived.length * 1_000) / ms, ms, missing: rows - arrived.length, repeated };
    };
    const contenders = [
      { name: ours, run: deliverAll },
      { name: bare, run: (prefix: string) => postAll(sink, prefix, rows) },
    ];
    // The first run of each warms up both processes and is not counted.
    for (let repeat = -1; repeat < repeats; repeat++) {
      for (const { name, run } of rotated(contenders, repeat + 1)) {
        const figures = await run(`run${repeat + 1}`);
        say(`${name}: ${whole(figures.perSecond)} deliveries/s${repeat < 0 ? ' (warm-up)' : ''}`);
        if (repeat >= 0) runs.push({ contender: name, repeat, figures });
      }
    }
    const rate = (name: string) =>
      median(runs.filter(({ contender }) => contender === name).map(({ figures }) => figures.perSecond ?? 0));
    const total = (key: string) => runs.reduce((sum, { figures }) => sum + (figures[key] ?? 0), 0);
    return {
      parameters: {
        rows,
        repeats,
        endpointCount,
        concurrency,
        postgres: await describePostgres(stack.addresses.pgUrl),
      },
      runs,
      ratios: { [`${ours} / ${bare} (target 0.35)`]: rate(ours) / rate(bare) },
      tables: [
        {
          title: `(b) ${rows} deliveries at full speed, medians of ${repeats}; ${total('missing')} missing, ${total('repeated')} repeated`,
          header: ['', 'deliveries/s', 'to bare'],
          rows: [ours, bare].map((name) => [name, whole(rate(name)), times(rate(name) / rate(bare))]),
        },
      ],
    };
  },
};

interface Publication {
  readonly topic: string;
  readonly prefix: string;
  readonly endpoints: readonly Endpoint[];
  readonly rows: number;
}

/** The clock runs from the first of them: the service takes in while more are coming. */
async function publishAll(kafka: Kafka, { topic, prefix, endpoints, rows }: Publication): Promise<void> {
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  for (let from = 0; from < rows; from += batch) {
    const messages = Array.from({ length: Math.min(batch, rows - from) }, (_, at) => {
      const id = `${prefix}-${from + at}`;
      return { key: id, value: eventJson(id, endpoints[(from + at) % endpoints.length]?.type ?? '') };
    });
    await producer.send({ topic, acks: -1, messages });
  }
  await producer.disconnect();
}

/** Nothing but requests: no store, no signature, no record, no second try. */
async function postAll(sink: Sink, prefix: string, rows: number) {
  const agent = new Agent({ connections: concurrency });
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let at = next++; at < rows; at = next++) {
      const id = `${prefix}-${at}`;
      const answer = await request(`${sink.url}/hooks/bare/${at % endpointCount}`, {
        dispatcher: agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'webhook-id': id },
        body: eventJson(id, `speed.n${at % endpointCount}`),
      });
      await answer.body.dump();
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: concurrency }, lane));
  const ms = performance.now() - began;
  await agent.close();
  return { perSecond: (rows * 1_000) / ms, ms, missing: 0, repeated: 0 };
}
