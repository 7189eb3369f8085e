import type { Pool } from 'pg';
import { createPgQueue, execWorkflowId } from '@sluice/queue-core';
import { connectPool } from '../databases.js';
import { percentile } from '../statistics.js';
import { batchSize, callers, type Contender, type Template } from './contender.js';
import { createQueueDatabase, itemType, overdue } from './queue-database.js';

const template: Template = {
  database: 'template_queue',
  async fill(server, rows) {
    await createQueueDatabase(server, template.database, [
      { name: 'due', count: rows, status: 'READY', dueInMs: overdue },
    ]);
  },
};

/** The real store: a claim that returns the contexts, then a mark under the claim's token, both audited. */
export const queueCore: Contender = {
  name: 'queue-core: claim + mark',
  template,
  async drain(url, rows) {
    const pool = connectPool(url, callers);
    const queue = createPgQueue(pool);
    const claimMs: number[] = [];
    const markMs: number[] = [];
    let taken = 0;
    const caller = async (name: number): Promise<void> => {
      for (let batch = 0; ; batch++) {
        const token = `bench-${name}-${batch}`;
        const began = performance.now();
        const { items } = await queue.claim({ itemType, token, limit: batchSize });
        const claimed = performance.now();
        if (items.length === 0) return;
        const started = items.map(({ itemId }) => ({
          itemId,
          execWorkflowId: execWorkflowId(itemType, itemId),
          alreadyStarted: false,
        }));
        const { fenced } = await queue.markDispatched({ itemType, token, items: started });
        claimMs.push(claimed - began);
        markMs.push(performance.now() - claimed);
        taken += items.length - fenced.length;
      }
    };
    const ms = await together(pool, caller);
    await expectFinished(pool, { rows, taken });
    await pool.end();
    return {
      ms,
      figures: {
        claimP50Ms: percentile(claimMs, 0.5),
        claimP99Ms: percentile(claimMs, 0.99),
        markP50Ms: percentile(markMs, 0.5),
        markP99Ms: percentile(markMs, 0.99),
      },
    };
  },
};

/** The least that changing the status of the same rows can cost: no claim, no token, no context, no audit. */
export const bareUpdate: Contender = {
  name: 'bare UPDATE … SET status',
  template,
  async drain(url, rows) {
    const pool = connectPool(url, callers);
    const { rows: found } = await pool.query<{ item_id: string }>(
      'SELECT item_id FROM exec_queue WHERE item_type = $1 ORDER BY scheduled_exec_time',
      [itemType],
    );
    const ids = found.map((row) => row.item_id);
    let next = 0;
    let taken = 0;
    const caller = async (): Promise<void> => {
      for (;;) {
        const batch = ids.slice(next, (next += batchSize));
        if (batch.length === 0) return;
        const { rowCount } = await pool.query(
          `UPDATE exec_queue SET queue_status = 'DISPATCHED' WHERE item_type = $1 AND item_id = ANY ($2)`,
          [itemType, batch],
        );
        taken += rowCount ?? 0;
      }
    };
    const ms = await together(pool, caller);
    await expectFinished(pool, { rows, taken });
    await pool.end();
    return { ms, figures: {} };
  },
};

async function together(pool: Pool, caller: (name: number) => Promise<void>): Promise<number> {
  // Connections are made before the clock runs.
  await Promise.all(Array.from({ length: callers }, () => pool.query('SELECT pg_sleep(0.05)')));
  const began = performance.now();
  await Promise.all(Array.from({ length: callers }, (_, name) => caller(name)));
  return performance.now() - began;
}

async function expectFinished(pool: Pool, run: { rows: number; taken: number }): Promise<void> {
  const { rows } = await pool.query<{ finished: number }>(
    `SELECT count(*)::integer AS finished FROM exec_queue WHERE queue_status = 'DISPATCHED'`,
  );
  const finished = rows[0]?.finished;
  if (finished !== run.rows || run.taken !== run.rows) {
    throw new Error(
      `${run.rows} rows were to be finished, ${run.taken} were taken, ${finished} are finished`,
    );
  }
}
