import type { OperatorOrder, OrderOutcome, QueueOperations } from '../operations.js';
import type { QueueStatus } from '../ports.js';
import { requireTexts, storableText } from '../storable-text.js';
import { toChangeEntry, toExhaustedItem } from './queue-rows.js';
import type { ChangeRow, ExhaustedRow } from './queue-rows.js';
import type { RunStatement } from './pg-statements.js';

/** What people do to the queue, in PostgreSQL. */
export function operating(run: RunStatement): QueueOperations {
  return {
    async switchDispatch({ itemType, enabled, reason, by }) {
      requireTexts('switch_dispatch', { by });
      const values = [itemType, enabled, storableText(reason), by];
      const [row] = await run<{ changed: boolean }>('switch_dispatch', values);
      if (!row) return { kind: 'unknown' };
      return { kind: row.changed ? 'changed' : 'unchanged' };
    },
    requeue: (order) => carryOut(run, 'requeue_items', order),
    cancel: (order) => carryOut(run, 'cancel_items', order),
    async recordAction({ itemType, action, reason, by }) {
      requireTexts('record_action', { action, by });
      await run('record_action', [itemType, action, storableText(reason), by]);
    },
    ...listing(run),
    ...counting(run),
  };
}

async function carryOut(
  run: RunStatement,
  statement: 'requeue_items' | 'cancel_items',
  { itemType, itemIds, reason, by }: OperatorOrder,
): Promise<readonly OrderOutcome[]> {
  requireTexts(statement, { by });
  if (itemIds.length === 0) return [];
  const changed = await run<{ item_id: string }>(statement, [itemType, itemIds, storableText(reason), by]);
  const done = new Set(changed.map((row) => row.item_id));
  const others = itemIds.filter((itemId) => !done.has(itemId));
  const statuses = new Map<string, QueueStatus>();
  if (others.length > 0) {
    const rows = await run<{ item_id: string; queue_status: QueueStatus }>('read_statuses', [
      itemType,
      others,
    ]);
    for (const row of rows) statuses.set(row.item_id, row.queue_status);
  }
  return itemIds.map((itemId) => {
    if (done.has(itemId)) return { kind: 'changed', itemId };
    const status = statuses.get(itemId);
    return status === undefined ? { kind: 'unknown', itemId } : { kind: 'refused', itemId, status };
  });
}

function listing(run: RunStatement): Pick<QueueOperations, 'listExhausted' | 'listChanges'> {
  return {
    async listExhausted({ itemType, filter = {}, after, limit }) {
      // One more than asked for tells whether there is another page.
      const rows = await run<ExhaustedRow>('list_exhausted', [
        itemType,
        filter.errorContains ?? null,
        filter.exhaustedFrom?.toISOString() ?? null,
        filter.exhaustedBefore?.toISOString() ?? null,
        after?.at ?? null,
        after?.itemId ?? null,
        limit + 1,
      ]);
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      return {
        items: page.map(toExhaustedItem),
        next: last ? { at: last.cursor_at, itemId: last.item_id } : null,
      };
    },
    async listChanges({ itemType, after, limit }) {
      const rows = await run<ChangeRow>('list_changes', [itemType, after ?? null, limit + 1]);
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      return { changes: page.map(toChangeEntry), next: last?.audit_id ?? null };
    },
  };
}

function counting(run: RunStatement): Pick<QueueOperations, 'measureMinutes' | 'countFinished'> {
  return {
    async measureMinutes({ itemType, from, minutes, capPerMinute }) {
      const rows = await run<{ minute: Date; ready: number }>('measure_minutes', [
        itemType,
        from?.toISOString() ?? null,
        minutes,
        capPerMinute,
      ]);
      return rows.map(({ minute, ready }) => ({
        minute,
        ready: Math.min(ready, capPerMinute),
        exact: ready <= capPerMinute,
      }));
    },
    async countFinished(itemType, cap) {
      const [row] = await run<{ dispatched: number; cancelled: number }>('count_finished', [itemType, cap]);
      return { dispatched: row?.dispatched ?? 0, cancelled: row?.cancelled ?? 0 };
    },
  };
}
