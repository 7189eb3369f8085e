import type { Pool } from 'pg';
import { createPgSlotStore, type RateConfig, type SlotStore } from '@sluice/rate-window';
import type { BenchPart, MeasuredRun } from '../bench.js';
import { connectPool, describePostgres, onDatabase } from '../databases.js';
import { median, percentile, rotated } from '../statistics.js';
import { figure, times, whole, type Table } from '../table.js';
import { eventIdsOf, inBatches, inLanes, instant } from './contender.js';
import { activate, createSlotDatabase } from './slot-database.js';

/** Few a window, so that many full windows can be had. */
const limit = { maxPerWindow: 10, windowSizeMs: 4_000 };
const fullWindows = [10, 1_000, 100_000];
const groupSize = 1_000;
const samples = 600;
/** The tables take turns by blocks, so that other work on the machine hits all of them alike. */
const blockSize = 25;
const warmUp = 3;

interface Filled {
  readonly name: string;
  readonly pool: Pool;
  readonly store: SlotStore;
  readonly config: RateConfig;
  readonly took: number[];
}

export const nthAssignment: BenchPart = {
  letter: 'c',
  title: 'time of one assignment, by how many full windows lie before it',
  defaultRows: 100_000,
  async run({ startServers, rows, repeats, repository, say }) {
    const stack = await startServers({ only: ['postgres'] });
    const server = { url: stack.addresses.pgUrl, repository };
    const filled: Filled[] = [];
    for (const windows of fullWindows.map((most) => Math.min(most, rows))) {
      say(`filling ${windows} windows`);
      filled.push(await fill(server, windows));
    }
    await onDatabase(server.url, 'CHECKPOINT');
    const runs: MeasuredRun[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (let block = 0; block < samples / blockSize; block++) {
        for (const table of rotated(filled, block)) await assignBlock(table, `${repeat}-${block}`);
      }
      for (const { name, took } of filled) {
        const figures = { p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99) };
        took.length = 0;
        runs.push({ contender: name, repeat, figures });
        say(`${name}: p50 ${figure(figures.p50Ms)} ms, p99 ${figure(figures.p99Ms)} ms`);
      }
    }
    for (const { pool } of filled) await pool.end();
    const names = filled.map(({ name }) => name);
    return {
      parameters: { ...limit, fullWindows, samples, repeats, postgres: await describePostgres(server.url) },
      runs,
      ratios: ratiosOf(runs, names),
      tables: [tableOf(runs, names)],
    };
  },
};

async function fill(server: { url: string; repository: string }, windows: number): Promise<Filled> {
  const pool = connectPool(await createSlotDatabase(server, `windows_${windows}`), 2);
  const config = await activate(pool, limit);
  const store = createPgSlotStore(pool);
  const ids = eventIdsOf(windows * limit.maxPerWindow, 'filler');
  await inLanes(2, inBatches(ids, groupSize), async (group) => {
    await store.assign(
      config,
      group.map((eventId) => ({ eventId, requestedTime: instant })),
    );
  });
  const { rows } = await pool.query<{ windows: number }>(
    `SELECT count(*)::integer AS windows FROM
       (SELECT FROM rate_limit_slot GROUP BY window_start HAVING count(*) = $1) full_windows`,
    [limit.maxPerWindow],
  );
  if (rows[0]?.windows !== windows)
    throw new Error(`${rows[0]?.windows} windows are full instead of ${windows}`);
  await pool.query('VACUUM (ANALYZE)');
  return { name: `${whole(windows)} full windows`, pool, store, config, took: [] };
}

/** Single events, each its own round trip and transaction: the search is all that can differ. */
async function assignBlock({ store, config, took }: Filled, block: string): Promise<void> {
  for (let turn = -warmUp; turn < blockSize; turn++) {
    const request = { eventId: `nth-${block}-${turn}`, requestedTime: instant };
    const began = performance.now();
    const outcome = await store.assign(config, [request]);
    const ms = performance.now() - began;
    if (outcome.kind !== 'answered' || outcome.answers[0]?.kind !== 'assigned') {
      throw new Error('an event was not placed');
    }
    if (turn >= 0) took.push(ms);
  }
}

function medianOf(runs: readonly MeasuredRun[], name: string, key: string): number {
  return median(runs.filter(({ contender }) => contender === name).map(({ figures }) => figures[key] ?? 0));
}

function ratiosOf(runs: readonly MeasuredRun[], [first = '', ...others]: readonly string[]) {
  return Object.fromEntries(
    others.flatMap((name) =>
      ['p50Ms', 'p99Ms'].map((key) => [
        `${key}: ${name} / ${first}`,
        medianOf(runs, name, key) / medianOf(runs, first, key),
      ]),
    ),
  );
}

function tableOf(runs: readonly MeasuredRun[], names: readonly string[]): Table {
  const [first = ''] = names;
  const factor = (name: string, key: string): string =>
    times(medianOf(runs, name, key) / medianOf(runs, first, key));
  return {
    title: '(c) one assignment, medians of the rounds',
    header: ['before it', 'p50 ms', 'p99 ms', `p50 to ${first}`, `p99 to ${first}`],
    rows: names.map((name) => [
      name,
      figure(medianOf(runs, name, 'p50Ms')),
      figure(medianOf(runs, name, 'p99Ms')),
      factor(name, 'p50Ms'),
      factor(name, 'p99Ms'),
    ]),
  };
}
