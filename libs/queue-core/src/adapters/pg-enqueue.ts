import type { EnqueueOutcome, NewItem } from '../ports.js';
import { QueueStoreError } from '../errors.js';
import type { OutcomeRow } from './queue-rows.js';
import type { RunStatement } from './pg-statements.js';

/**
 * One statement in the common case. Items that it could not judge (named twice in the call, or committed by another
 * caller while it ran) are compared with the store in a second one.
 */
export async function enqueueItems(
  run: RunStatement,
  items: readonly NewItem[],
): Promise<readonly EnqueueOutcome[]> {
  if (items.length === 0) return [];
  const first = new Map<string, NewItem>();
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item);
  const judged = new Map<NewItem, EnqueueOutcome['kind']>();
  const rows = await run<OutcomeRow>('enqueue_items', [
    ...contextColumns([...first.values()]),
    [...first.values()].map((item) => item.scheduledExecTime.toISOString()),
    [...first.values()].map((item) => item.initWorkflowId),
  ]);
  for (const row of rows) {
    const item = first.get(`${row.item_type}/${row.item_id}`);
    if (item && row.outcome !== 'unseen') judged.set(item, row.outcome);
  }
  const open = items.filter((item) => !judged.has(item));
  if (open.length > 0) await compareWithStore(run, open, judged);
  return items.map((item) => ({
    kind: judged.get(item) ?? 'duplicate',
    itemType: item.itemType,
    itemId: item.itemId,
  }));
}

async function compareWithStore(
  run: RunStatement,
  open: readonly NewItem[],
  judged: Map<NewItem, EnqueueOutcome['kind']>,
): Promise<void> {
  const rows = await run<OutcomeRow>('compare_contexts', contextColumns(open));
  for (const [index, item] of open.entries()) {
    const outcome = rows[index]?.outcome;
    if (outcome !== 'duplicate' && outcome !== 'conflict') {
      const cause = new Error(`item ${item.itemId} was in the way of its enqueue and is gone now`);
      throw new QueueStoreError({ code: 'STORE_UNAVAILABLE', operation: 'enqueue_items', cause });
    }
    judged.set(item, outcome);
  }
}

function keyOf(item: NewItem): string {
  return `${item.itemType}/${item.itemId}`;
}

function contextColumns(items: readonly NewItem[]): unknown[] {
  return [
    items.map((item) => item.itemType),
    items.map((item) => item.itemId),
    items.map((item) => item.contextJson),
    items.map((item) => item.contextVersion),
  ];
}
