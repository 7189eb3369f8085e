import type { BenchPart, MeasuredRun } from '../bench.js';
import { connectPool, copyDatabase, describePostgres, dropDatabase } from '../databases.js';
import { median, rotated } from '../statistics.js';
import { figure, times, whole, type Table } from '../table.js';
import { batchSize, callers, type Contender } from './contender.js';
import { graphileWorker } from './graphile-contender.js';
import { pgBoss } from './pg-boss-contender.js';
import { bareUpdate, queueCore } from './queue-core-contenders.js';

const contenders: readonly Contender[] = [queueCore, bareUpdate, pgBoss, graphileWorker];

export const claimAndMark: BenchPart = {
  letter: 'a',
  title: 'taking and finishing waiting jobs',
  defaultRows: 1_000_000,
  async run({ startServers, rows, repeats, repository, say }) {
    const stack = await startServers({ only: ['postgres'] });
    const server = { url: stack.addresses.pgUrl, repository };
    for (const template of new Set(contenders.map((contender) => contender.template))) {
      say(`filling ${template.database}`);
      await template.fill(server, rows);
    }
    const runs: MeasuredRun[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const contender of rotated(contenders, repeat)) {
        const figures = await measure(contender, server.url, rows);
        runs.push({ contender: contender.name, repeat, figures });
        say(`${contender.name}: ${whole(figures.rowsPerSecond)} rows/s`);
      }
    }
    return {
      parameters: { rows, repeats, batchSize, callers, postgres: await describePostgres(server.url) },
      runs,
      ratios: ratiosOf(runs),
      tables: [tableOf(runs)],
    };
  },
};

/** One run on a fresh copy of what was filled. */
async function measure(
  contender: Contender,
  serverUrl: string,
  rows: number,
): Promise<Record<string, number> & { rowsPerSecond: number; walBytesPerRow: number }> {
  const url = await copyDatabase(serverUrl, contender.template.database, 'measured');
  const pool = connectPool(url, 1);
  const walBytes = async (): Promise<number> => {
    const { rows: found } = await pool.query<{ bytes: number }>(
      `SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 AS bytes`,
    );
    return found[0]?.bytes ?? 0;
  };
  const before = await walBytes();
  const { ms, figures } = await contender.drain(url, rows);
  const walBytesPerRow = ((await walBytes()) - before) / rows;
  await pool.end();
  await dropDatabase(serverUrl, 'measured');
  return { rowsPerSecond: (rows * 1000) / ms, ms, walBytesPerRow, ...figures };
}

function medianOf(runs: readonly MeasuredRun[], { name }: Contender, key: string): number {
  return median(runs.filter(({ contender }) => contender === name).map(({ figures }) => figures[key] ?? 0));
}

function ratiosOf(runs: readonly MeasuredRun[]): Record<string, number> {
  const ours = medianOf(runs, queueCore, 'rowsPerSecond');
  return Object.fromEntries(
    contenders
      .filter((contender) => contender !== queueCore)
      .map((contender) => [
        `queue-core / ${contender.name}`,
        ours / medianOf(runs, contender, 'rowsPerSecond'),
      ]),
  );
}

function tableOf(runs: readonly MeasuredRun[]): Table {
  const ours = medianOf(runs, queueCore, 'rowsPerSecond');
  return {
    title: '(a) taking and finishing waiting jobs, medians',
    header: ['', 'rows/s', 'slowest', 'fastest', 'ours is', 'WAL bytes/row'],
    rows: contenders.map((contender) => {
      const rates = runs
        .filter((run) => run.contender === contender.name)
        .map(({ figures }) => figures.rowsPerSecond ?? 0);
      return [
        contender.name,
        whole(median(rates)),
        whole(Math.min(...rates)),
        whole(Math.max(...rates)),
        contender === queueCore ? '' : times(ours / median(rates)),
        figure(medianOf(runs, contender, 'walBytesPerRow')),
      ];
    }),
  };
}
