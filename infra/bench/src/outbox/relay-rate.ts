import { createPgOutbox, createRelay } from '@sluice/outbox';
import type { BenchPart, MeasuredRun } from '../bench.js';
import { connectPool, copyDatabase, describePostgres, dropDatabase } from '../databases.js';
import { batchSize, type Contender } from '../dispatch/contender.js';
import { graphileWorker } from '../dispatch/graphile-contender.js';
import { pgBoss } from '../dispatch/pg-boss-contender.js';
import { median, rotated } from '../statistics.js';
import { times, whole, type Table } from '../table.js';
import { createOutboxDatabase, fillOutbox } from './outbox-database.js';
import { railType, shapes, type Shape } from './shapes.js';

const ours: readonly Contender[] = shapes.map((shape, n) => relayOf(shape, `template_outbox_${n}`));
const peers: readonly Contender[] = [pgBoss, graphileWorker];
const contenders = [...ours, ...peers];

export const relayRate: BenchPart = {
  letter: 'b',
  title: 'from the outbox to a destination that answers at once',
  defaultRows: 100_000,
  async run({ startServers, rows, repeats, repository, say }) {
    const stack = await startServers({ only: ['postgres'] });
    const server = { url: stack.addresses.pgUrl, repository };
    for (const { template } of contenders) {
      say(`filling ${template.database}`);
      await template.fill(server, rows);
    }
    const runs: MeasuredRun[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const contender of rotated(contenders, repeat)) {
        const url = await copyDatabase(server.url, contender.template.database, 'measured');
        const { ms } = await contender.drain(url, rows);
        await dropDatabase(server.url, 'measured');
        const rowsPerSecond = (rows * 1000) / ms;
        runs.push({ contender: contender.name, repeat, figures: { rowsPerSecond } });
        say(`${contender.name}: ${whole(rowsPerSecond)} a second`);
      }
    }
    const ratios = Object.fromEntries(
      ours.flatMap((one) =>
        peers.map((peer) => [`${one.name} / ${peer.name}`, rateOf(runs, one) / rateOf(runs, peer)]),
      ),
    );
    const postgres = await describePostgres(server.url);
    return { parameters: { rows, repeats, postgres }, runs, ratios, tables: [tableOf(runs)] };
  },
};

/** The relay as a service runs it: claims, sends in order, and outcomes with their audit. */
function relayOf(shape: Shape, database: string): Contender {
  return {
    name: `outbox relay, ${shape.name}`,
    template: {
      database,
      async fill(server, rows) {
        await fillOutbox(await createOutboxDatabase(server.url, database), shape, rows);
      },
    },
    async drain(url, rows) {
      const pool = connectPool(url, 8);
      await Promise.all(Array.from({ length: 8 }, () => pool.query('SELECT pg_sleep(0.05)')));
      const stop = new AbortController();
      let settled = 0;
      const last = new Map<string, number>();
      const began = performance.now();
      const ended = new Promise<number>((resolve) => {
        const relay = createRelay({
          name: 'bench',
          store: createPgOutbox(pool),
          // as many as the peers take at once
          concurrency: batchSize,
          destinations: {
            [railType]: {
              recognisesKeys: true,
              send({ participantId, sequenceId, instructionId }) {
                expectNext(last, participantId, sequenceId);
                return Promise.resolve({ kind: 'executed', reference: instructionId });
              },
            },
          },
          observer: { settled: () => (settled += 1) === rows && resolve(performance.now()) },
        });
        void relay.run(stop.signal, () => undefined);
      });
      const ms = (await ended) - began;
      stop.abort();
      await pool.end();
      return { ms, figures: {} };
    },
  };
}

/** What is quick and out of order would be no result. */
function expectNext(last: Map<string, number>, participantId: string, sequenceId: number): void {
  if (sequenceId !== (last.get(participantId) ?? 0) + 1) throw new Error(`${participantId} out of order`);
  last.set(participantId, sequenceId);
}

function rateOf(runs: readonly MeasuredRun[], { name }: Contender): number {
  return median(
    runs.filter(({ contender }) => contender === name).map(({ figures }) => figures['rowsPerSecond'] ?? 0),
  );
}

function tableOf(runs: readonly MeasuredRun[]): Table {
  return {
    title: '(b) instructions or jobs moved a second, one process',
    header: ['what', 'a second', ...peers.map(({ name }) => `to ${name.split(':')[0]}`)],
    rows: contenders.map((one) => [
      one.name,
      whole(rateOf(runs, one)),
      ...peers.map((peer) => times(rateOf(runs, one) / rateOf(runs, peer))),
    ]),
  };
}
