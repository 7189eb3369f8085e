import type { Pool } from 'pg';
import { createPgQueue, type DispatchQueue } from '@sluice/queue-core';
import type { BenchPart, MeasuredRun } from '../bench.js';
import { connectPool, describePostgres, onDatabase, urlOf } from '../databases.js';
import { median, percentile, rotated } from '../statistics.js';
import { figure, times, type Table } from '../table.js';
import { restore, shapesOf, type Shape } from './latency-shapes.js';
import { createQueueDatabase, itemType } from './queue-database.js';

/** What the dispatcher claims at once unless it is told otherwise. */
const limit = 50;
const samples = 500;
/** The tables take turns by blocks of claims, so that other work on the machine hits all of them alike. */
const blockSize = 25;
const warmUp = 3;

export const claimLatency: BenchPart = {
  letter: 'b',
  title: 'time of one claim, by what lies in the table',
  defaultRows: 1_000_000,
  async run({ startServers, rows, repeats, repository, say }) {
    const stack = await startServers({ only: ['postgres'] });
    const server = { url: stack.addresses.pgUrl, repository };
    const shapes = shapesOf(rows);
    for (const { name, database, seeds } of shapes) {
      say(`filling: ${name}`);
      await createQueueDatabase(server, database, seeds);
    }
    await onDatabase(server.url, 'CHECKPOINT');
    const tables = shapes.map((shape) => openTable(urlOf(server.url, shape.database), shape));
    const runs: MeasuredRun[] = [];
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (let block = 0; block < samples / blockSize; block++) {
        for (const table of rotated(tables, block)) await claimBlock(table);
      }
      for (const { shape, took } of tables) {
        const figures = figuresOf(took.splice(0));
        runs.push({ contender: shape.name, repeat, figures });
        say(`${shape.name}: p50 ${figure(figures.p50Ms)} ms, p99 ${figure(figures.p99Ms)} ms`);
      }
    }
    for (const { pool } of tables) await pool.end();
    return {
      parameters: { rows, repeats, limit, samples, postgres: await describePostgres(server.url) },
      runs,
      ratios: ratiosOf(runs, shapes),
      tables: [tableOf(runs, shapes)],
    };
  },
};

interface OpenTable {
  readonly shape: Shape;
  readonly pool: Pool;
  readonly queue: DispatchQueue;
  readonly took: number[];
}

function openTable(url: string, shape: Shape): OpenTable {
  const pool = connectPool(url, 1);
  return { shape, pool, queue: createPgQueue(pool), took: [] };
}

async function claimBlock({ shape, pool, queue, took }: OpenTable): Promise<void> {
  for (let claim = -warmUp; claim < blockSize; claim++) {
    const token = `bench-${performance.now()}`;
    const began = performance.now();
    const { items } = await queue.claim({ itemType, token, limit });
    const ms = performance.now() - began;
    if (items.length !== limit) throw new Error(`a claim of ${limit} took ${items.length} (${shape.name})`);
    if (claim >= 0) took.push(ms);
    await restore({ queue, pool }, token, items);
  }
}

function figuresOf(took: readonly number[]): Record<'p50Ms' | 'p99Ms' | 'maxMs', number> {
  return { p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99), maxMs: Math.max(...took) };
}

function medianOf(runs: readonly MeasuredRun[], { name }: Shape, key: string): number {
  return median(runs.filter(({ contender }) => contender === name).map(({ figures }) => figures[key] ?? 0));
}

function ratiosOf(
  runs: readonly MeasuredRun[],
  [small, ...others]: readonly [Shape, ...Shape[]],
): Record<string, number> {
  return Object.fromEntries(
    others.flatMap((shape) =>
      ['p50Ms', 'p99Ms'].map((key) => [
        `${key}: ${shape.name} / ${small.name}`,
        medianOf(runs, shape, key) / medianOf(runs, small, key),
      ]),
    ),
  );
}

function tableOf(runs: readonly MeasuredRun[], shapes: readonly [Shape, ...Shape[]]): Table {
  const [small] = shapes;
  const factor = (shape: Shape, key: string): string =>
    times(medianOf(runs, shape, key) / medianOf(runs, small, key));
  return {
    title: `(b) one claim of ${limit}, medians of the rounds`,
    header: ['table', 'p50 ms', 'p99 ms', 'max ms', `p50 to ${small.name}`, `p99 to ${small.name}`],
    rows: shapes.map((shape) => [
      shape.name,
      figure(medianOf(runs, shape, 'p50Ms')),
      figure(medianOf(runs, shape, 'p99Ms')),
      figure(medianOf(runs, shape, 'maxMs')),
      factor(shape, 'p50Ms'),
      factor(shape, 'p99Ms'),
    ]),
  };
}
