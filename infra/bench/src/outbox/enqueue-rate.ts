import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool, PoolClient } from 'pg';
import { createPgOutbox, type OutboxEntry } from '@sluice/outbox';
import type { BenchPart, MeasuredRun } from '../bench.js';
import { connectPool, describePostgres, dropDatabase } from '../databases.js';
import { median, rotated } from '../statistics.js';
import { times, whole, type Table } from '../table.js';
import { batchesOf, batchSize, createOutboxDatabase, inTransaction } from './outbox-database.js';
import { shapes, type Shape } from './shapes.js';

const producers = 4;
/** One by one is slower, and its rate does not depend on how many. */
const shareOneByOne = 0.1;

interface Way {
  readonly name: string;
  readonly size: number;
  writer(pool: Pool): (client: PoolClient, batch: readonly OutboxEntry[]) => Promise<unknown>;
}

const enqueue: Way['writer'] = (pool) => {
  const outbox = createPgOutbox(pool);
  return (client, batch) => outbox.enqueue(client, batch);
};

const insert: Way['writer'] = () => {
  const text = readFileSync(join(__dirname, 'sql', 'insert_bare.sql'), 'utf8');
  let sequence = 0;
  return (client, batch) =>
    client.query({
      name: 'insert_bare',
      text,
      values: [
        batch.map(() => randomUUID()),
        batch.map((entry) => entry.instructionId),
        batch.map((entry) => entry.participantId),
        batch.map(() => (sequence += 1)),
        batch.map((entry) => entry.idempotencyKey),
        batch.map((entry) => entry.railType),
        JSON.stringify(batch.map((entry) => entry.payload)),
      ],
    });
};

const ways: readonly Way[] = [
  { name: 'enqueue in bulk', size: batchSize, writer: enqueue },
  { name: 'bare INSERT in bulk', size: batchSize, writer: insert },
  { name: 'enqueue one by one', size: 1, writer: enqueue },
  { name: 'bare INSERT one by one', size: 1, writer: insert },
];

export const enqueueRate: BenchPart = {
  letter: 'a',
  title: 'storing instructions in their producer’s transaction',
  defaultRows: 100_000,
  async run({ startServers, rows, repeats, say }) {
    const stack = await startServers({ only: ['postgres'] });
    const serverUrl = stack.addresses.pgUrl;
    const runs: MeasuredRun[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const shape of shapes) {
        for (const way of rotated(ways, repeat)) {
          const rowsPerSecond = await measure({ serverUrl, shape, way, rows });
          runs.push({ contender: `${way.name}, ${shape.name}`, repeat, figures: { rowsPerSecond } });
          say(`${way.name}, ${shape.name}: ${whole(rowsPerSecond)} rows/s`);
        }
      }
    }
    const ratios = Object.fromEntries(
      shapes.flatMap((shape) => [
        [`bulk: ${shape.name}`, rateOf(runs, 0, shape) / rateOf(runs, 1, shape)],
        [`one by one: ${shape.name}`, rateOf(runs, 2, shape) / rateOf(runs, 3, shape)],
      ]),
    );
    const postgres = await describePostgres(serverUrl);
    return {
      parameters: { rows, repeats, batchSize, producers, postgres },
      runs,
      ratios,
      tables: [tableOf(runs)],
    };
  },
};

async function measure(order: {
  readonly serverUrl: string;
  readonly shape: Shape;
  readonly way: Way;
  readonly rows: number;
}): Promise<number> {
  const { serverUrl, shape, way } = order;
  const rows = way.size === 1 ? Math.ceil(order.rows * shareOneByOne) : order.rows;
  const url = await createOutboxDatabase(serverUrl, 'measured');
  const pool = connectPool(url, producers);
  const write = way.writer(pool);
  const waiting = batchesOf(shape, rows, way.size).reverse();
  await Promise.all(Array.from({ length: producers }, () => pool.query('SELECT pg_sleep(0.05)')));
  const produce = async (): Promise<void> => {
    for (let batch = waiting.pop(); batch; batch = waiting.pop()) {
      const entries = batch;
      await inTransaction(pool, (client) => write(client, entries));
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: producers }, produce));
  const ms = performance.now() - began;
  const { rows: found } = await pool.query<{ stored: number }>(
    'SELECT count(*)::integer AS stored FROM payment_outbox_pending',
  );
  await pool.end();
  await dropDatabase(serverUrl, 'measured');
  if (found[0]?.stored !== rows) throw new Error(`${rows} were to be stored, ${found[0]?.stored} are`);
  return (rows * 1000) / ms;
}

function rateOf(runs: readonly MeasuredRun[], way: number, shape: Shape): number {
  const name = `${ways[way]?.name}, ${shape.name}`;
  return median(
    runs.filter(({ contender }) => contender === name).map(({ figures }) => figures['rowsPerSecond'] ?? 0),
  );
}

function tableOf(runs: readonly MeasuredRun[]): Table {
  return {
    title: `(a) instructions stored a second, ${producers} producers, ${batchSize} in a transaction or one`,
    header: ['participants', ...ways.map(({ name }) => name), 'bulk', 'one by one'],
    rows: shapes.map((shape) => {
      const rates = ways.map((_, way) => rateOf(runs, way, shape));
      const [bulk = 0, bareBulk = 1, single = 0, bareSingle = 1] = rates;
      return [shape.name, ...rates.map(whole), times(bulk / bareBulk), times(single / bareSingle)];
    }),
  };
}
