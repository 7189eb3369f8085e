import { createPgQueue } from '@sluice/queue-core';
import type { DispatchConfig, DispatchQueue, QueueStatus } from '@sluice/queue-core';
import type { CrashRig } from './crash-rig.js';

/** One item type under test. */
export interface Subject {
  readonly rig: CrashRig;
  readonly queue: DispatchQueue;
  readonly itemType: string;
  config: DispatchConfig;
}

const settings = {
  enabled: true,
  batchSize: 100,
  dispatchIntervalSecs: 2,
  jitterWindowMs: 0,
  preStartBufferMins: 1,
  maxDispatchRetries: 3,
  staleClaimThresholdMins: 30,
  execWorkflowType: 'CountedExecWorkflow',
};

/** An item type with a config row; a dispatcher that starts later finds it at once, a running one within seconds. */
export async function createSubject(
  rig: CrashRig,
  label: string,
  changes: Partial<DispatchConfig> = {},
): Promise<Subject> {
  // The end of the name is what tells test files and runs apart.
  const itemType = `${label}_${rig.name.slice(-13)}`.toUpperCase();
  const config = { ...settings, execTaskQueue: rig.execTaskQueue };
  const subject = { rig, itemType, config, queue: createPgQueue(rig.pool) };
  await configure(subject, changes);
  return subject;
}

export async function configure(subject: Subject, changes: Partial<DispatchConfig>): Promise<void> {
  subject.config = { ...subject.config, ...changes };
  await subject.queue.writeConfig({ itemType: subject.itemType, config: subject.config, by: 'test' });
}

export const itemIdsOf = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `i${String(index).padStart(4, '0')}`);

/** What the context of an item holds and nothing else does: seen on the wire, it is that item's claim. */
export const contextMark = ({ itemType }: Subject, itemId: string): string => `${itemType}/${itemId}`;

/** Enqueues overdue items in a clear order, so that a test knows which of them come first. */
export async function fill(
  subject: Subject,
  itemIds: readonly string[],
  contextOf = (itemId: string) => JSON.stringify({ mark: contextMark(subject, itemId) }),
): Promise<void> {
  const items = itemIds.map((itemId, index) => ({
    itemType: subject.itemType,
    itemId,
    contextJson: contextOf(itemId),
    contextVersion: 1,
    scheduledExecTime: new Date(Date.now() - 3_600_000 + index * 100),
    initWorkflowId: 'init',
  }));
  for (let from = 0; from < items.length; from += 1_000) {
    await subject.queue.enqueue(items.slice(from, from + 1_000));
  }
}

export async function statuses({ rig, itemType }: Subject): Promise<Partial<Record<QueueStatus, number>>> {
  const { rows } = await rig.pool.query<{ queue_status: QueueStatus; n: number }>(
    'SELECT queue_status, count(*)::integer AS n FROM exec_queue WHERE item_type = $1 GROUP BY 1',
    [itemType],
  );
  return Object.fromEntries(rows.map((row) => [row.queue_status, row.n]));
}

export async function itemsIn({ rig, itemType }: Subject, status: QueueStatus): Promise<string[]> {
  const { rows } = await rig.pool.query<{ item_id: string }>(
    'SELECT item_id FROM exec_queue WHERE item_type = $1 AND queue_status = $2 ORDER BY item_id',
    [itemType, status],
  );
  return rows.map((row) => row.item_id);
}

/** The items that have this action in their own audit rows. */
export async function itemsWith({ rig, itemType }: Subject, action: string): Promise<string[]> {
  const { rows } = await rig.pool.query<{ item_id: string }>(
    `SELECT item_id FROM dispatch_audit_log
      WHERE item_type = $1 AND action = $2 AND item_id IS NOT NULL ORDER BY item_id`,
    [itemType, action],
  );
  return rows.map((row) => row.item_id);
}

/** The items against which a retry was counted. */
export async function itemsWithRetries({ rig, itemType }: Subject): Promise<string[]> {
  const { rows } = await rig.pool.query<{ item_id: string }>(
    'SELECT item_id FROM exec_queue WHERE item_type = $1 AND retry_count > 0 ORDER BY item_id',
    [itemType],
  );
  return rows.map((row) => row.item_id);
}

/** As if the claims that are held now had been made an hour ago. */
export async function ageClaims({ rig, itemType }: Subject): Promise<void> {
  await rig.pool.query(
    `UPDATE exec_queue SET claimed_at = claimed_at - interval '1 hour'
      WHERE item_type = $1 AND queue_status = 'CLAIMED'`,
    [itemType],
  );
}
