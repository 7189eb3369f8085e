import type { OperatorOrder, OrderOutcome, QueueOperations } from '../operations.js';
import type { QueueStatus } from '../ports.js';
import { requireTexts, storableText } from '../storable-text.js';
import type { Binds } from './oracle-binds.js';
import type { InSession } from './oracle-statements.js';

const atOnce = { autoCommit: true };

type Operating = Pick<QueueOperations, 'switchDispatch' | 'requeue' | 'cancel' | 'recordAction'>;

/** What people do to the queue, in Oracle. */
export function operating(inSession: InSession, binds: Binds): Operating {
  return {
    async switchDispatch({ itemType, enabled, reason, by }) {
      requireTexts('switch_dispatch', { by });
      const change = {
        item_type: binds.text(itemType),
        enabled: binds.number(enabled ? 1 : 0),
        reason: binds.text(storableText(reason)),
        actor: binds.text(by),
        outcome: binds.outWord(),
      };
      const { outcome } = await inSession('switch_dispatch', (session) =>
        session.execute<{ outcome: 'changed' | 'unchanged' | 'unknown' }>('switch_dispatch', change, atOnce),
      );
      return { kind: outcome };
    },
    requeue: (order) => carryOut(inSession, binds, { statement: 'requeue_items', order }),
    cancel: (order) => carryOut(inSession, binds, { statement: 'cancel_items', order }),
    async recordAction({ itemType, action, reason, by }) {
      requireTexts('record_action', { action, by });
      const row = {
        item_type: binds.text(itemType),
        action: binds.text(action),
        reason: binds.text(storableText(reason)),
        actor: binds.text(by),
      };
      await inSession('record_action', (session) => session.execute('record_action', row, atOnce));
    },
  };
}

interface Carried {
  readonly statement: 'requeue_items' | 'cancel_items';
  readonly order: OperatorOrder;
}

async function carryOut(
  inSession: InSession,
  binds: Binds,
  { statement, order: { itemType, itemIds, reason, by } }: Carried,
): Promise<readonly OrderOutcome[]> {
  requireTexts(statement, { by });
  if (itemIds.length === 0) return [];
  return inSession(statement, async (session) => {
    const item_type = binds.text(itemType);
    const order = {
      item_type,
      item_ids: binds.texts(itemIds.toSorted()),
      reason: binds.text(storableText(reason)),
      actor: binds.text(by),
      changed: binds.outWords(itemIds.length),
    };
    const { changed } = await session.execute<{ changed: readonly string[] | null }>(
      statement,
      order,
      atOnce,
    );
    const done = new Set(changed ?? []);
    const others = itemIds.filter((itemId) => !done.has(itemId));
    const statuses = new Map<string, QueueStatus | null | undefined>();
    if (others.length > 0) {
      const which = { item_type, item_ids: binds.texts(others), statuses: binds.outWords(others.length) };
      const found = await session.execute<{ statuses: readonly (QueueStatus | null)[] | null }>(
        'read_statuses',
        which,
        { autoCommit: false },
      );
      for (const [index, itemId] of others.entries()) statuses.set(itemId, found.statuses?.[index]);
    }
    return itemIds.map((itemId) => {
      if (done.has(itemId)) return { kind: 'changed', itemId };
      const status = statuses.get(itemId);
      return status ? { kind: 'refused', itemId, status } : { kind: 'unknown', itemId };
    });
  });
}
