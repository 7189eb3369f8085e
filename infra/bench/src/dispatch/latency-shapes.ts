import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { execWorkflowId, type ClaimedItem, type DispatchQueue } from '@sluice/queue-core';
import { contextJson, future, itemType, overdue, type Seed } from './queue-database.js';

/** A table to claim from. */
export interface Shape {
  readonly name: string;
  readonly database: string;
  readonly seeds: readonly Seed[];
}

/** The first is what the others are compared with. */
export function shapesOf(rows: number): readonly [Shape, ...Shape[]] {
  const due = (count: number): Seed => ({ name: 'due', count, status: 'READY', dueInMs: overdue });
  const small = Math.ceil(rows / 100);
  const aside: readonly Seed[] = [
    { name: 'future', count: Math.ceil(rows / 2), status: 'READY', dueInMs: future },
    { name: 'finished', count: rows, status: 'DISPATCHED', dueInMs: overdue },
  ];
  const claims = { name: 'claimed', count: Math.ceil(rows / 10), status: 'CLAIMED' } as const;
  return [
    { name: `${small} due`, database: 'small', seeds: [due(small)] },
    { name: `${small * 10} due`, database: 'medium', seeds: [due(small * 10)] },
    { name: `${rows} due`, database: 'large', seeds: [due(rows)] },
    {
      name: 'ugly, claims gone stale',
      database: 'ugly_stale',
      seeds: [due(small), ...aside, { ...claims, dueInMs: overdue }],
    },
    {
      name: 'ugly, claims alive',
      database: 'ugly_alive',
      seeds: [due(small), ...aside, { ...claims, dueInMs: 0 }],
    },
  ];
}

/** Brings a table back to the same depth after a claim. */
export async function restore(
  { queue, pool }: { readonly queue: DispatchQueue; readonly pool: Pool },
  token: string,
  items: readonly ClaimedItem[],
): Promise<void> {
  const fresh = items.filter(({ reclaimed }) => !reclaimed);
  if (fresh.length > 0) await replace(queue, token, fresh);
  const reclaimed = items.filter((item) => item.reclaimed).map(({ itemId }) => itemId);
  if (reclaimed.length > 0) await makeStaleAgain(pool, reclaimed);
}

/** Finishes what was claimed and puts as many new items behind the others, as a queue in steady use does. */
async function replace(queue: DispatchQueue, token: string, items: readonly ClaimedItem[]): Promise<void> {
  const finished = items.map(({ itemId }) => ({
    itemId,
    execWorkflowId: execWorkflowId(itemType, itemId),
    alreadyStarted: false,
  }));
  await queue.markDispatched({ itemType, token, items: finished });
  const scheduledExecTime = new Date(Date.now() + overdue / 2);
  await queue.enqueue(
    items.map(() => {
      const itemId = randomUUID();
      return { itemType, itemId, contextJson, contextVersion: 1, scheduledExecTime, initWorkflowId: 'bench' };
    }),
  );
}

/** Puts claims that were taken over behind the other stale ones. */
async function makeStaleAgain(pool: Pool, itemIds: readonly string[]): Promise<void> {
  await pool.query(
    `UPDATE exec_queue SET claimed_at = now() - interval '2 hours', retry_count = 0
      WHERE item_type = $1 AND item_id = ANY ($2)`,
    [itemType, itemIds],
  );
}
