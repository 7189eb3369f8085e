import { setTimeout as sleep } from 'node:timers/promises';
import { createPgOutbox, createPgOutboxListener, createRelay } from '@sluice/outbox';
import type { BenchPart, MeasuredRun } from '../bench.js';
import { connectPool, describePostgres, dropDatabase } from '../databases.js';
import { median, percentile } from '../statistics.js';
import { figure, type Table } from '../table.js';
import { createOutboxDatabase, inTransaction } from './outbox-database.js';
import { entryOf, railType, shapes, type Shape } from './shapes.js';

const ways = ['with NOTIFY', 'poll alone'] as const;
/** Apart enough that nothing is under way when the next one comes, and not in step with the poll. */
const apartMs = () => 60 + Math.random() * 40;

export const commitToSend: BenchPart = {
  letter: 'c',
  title: 'from the producer’s commit to the send, when idle',
  defaultRows: 300,
  async run({ startServers, rows, repeats, say }) {
    const stack = await startServers({ only: ['postgres'] });
    const serverUrl = stack.addresses.pgUrl;
    const runs: MeasuredRun[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const shape of shapes) {
        for (const way of ways) {
          const took = await measure(serverUrl, shape, { isNotified: way === 'with NOTIFY', samples: rows });
          const figures = { p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99) };
          runs.push({ contender: `${way}, ${shape.name}`, repeat, figures });
          say(`${way}, ${shape.name}: p50 ${figure(figures.p50Ms)} ms, p99 ${figure(figures.p99Ms)} ms`);
        }
      }
    }
    const postgres = await describePostgres(serverUrl);
    const parameters = { samples: rows, repeats, pollIntervalMs: 500, postgres };
    return { parameters, runs, ratios: {}, tables: [tableOf(runs)] };
  },
};

async function measure(
  serverUrl: string,
  shape: Shape,
  { isNotified, samples }: { readonly isNotified: boolean; readonly samples: number },
): Promise<number[]> {
  const url = await createOutboxDatabase(serverUrl, 'measured');
  const pool = connectPool(url, 4);
  const outbox = createPgOutbox(pool);
  const sentAt = new Map<string, number>();
  const stop = new AbortController();
  const relay = createRelay({
    name: 'bench',
    store: outbox,
    destinations: {
      [railType]: {
        recognisesKeys: true,
        send({ instructionId }) {
          sentAt.set(instructionId, performance.now());
          return Promise.resolve({ kind: 'executed' });
        },
      },
    },
  });
  const listener = createPgOutboxListener({ url, applicationName: 'bench', onWake: () => relay.wake() });
  const running = [relay.run(stop.signal, () => undefined)];
  if (isNotified) running.push(listener.run(stop.signal, () => undefined));
  await sleep(1_000);
  const took: number[] = [];
  for (let n = 0; n < samples; n++) {
    const entry = entryOf(shape, n);
    await inTransaction(pool, (client) => outbox.enqueue(client, [entry]));
    const committedAt = performance.now();
    if (isNotified) outbox.announce();
    while (!sentAt.has(entry.instructionId)) await sleep(1);
    took.push(Math.max(0, (sentAt.get(entry.instructionId) ?? 0) - committedAt));
    await sleep(apartMs());
  }
  stop.abort();
  await Promise.all(running);
  await pool.end();
  await dropDatabase(serverUrl, 'measured');
  return took;
}

function tableOf(runs: readonly MeasuredRun[]): Table {
  const of = (name: string, key: string): string =>
    figure(
      median(runs.filter(({ contender }) => contender === name).map(({ figures }) => figures[key] ?? 0)),
    );
  return {
    title: '(c) commit to send, medians of the rounds',
    header: ['participants', ...ways.flatMap((way) => [`${way} p50 ms`, `p99 ms`])],
    rows: shapes.map((shape) => [
      shape.name,
      ...ways.flatMap((way) => ['p50Ms', 'p99Ms'].map((key) => of(`${way}, ${shape.name}`, key))),
    ]),
  };
}
