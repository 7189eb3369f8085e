import type { BindDefinition } from 'oracledb';
import { QueueStoreError } from '../errors.js';
import type { EnqueueOutcome, NewItem } from '../ports.js';
import { validInstant, widest } from './oracle-binds.js';
import type { OracleDriver } from './oracle-driver.js';
import type { BindRow, InSession, OracleSession } from './oracle-statements.js';

type Kind = EnqueueOutcome['kind'];

interface Answer {
  readonly outcome: Kind | 'present' | 'unseen';
}

/**
 * One call and one commit in the common case. Items that are in the store already, also by an earlier item of the same call,
 * are compared with it in a second call.
 */
export async function enqueueItems(
  inSession: InSession,
  driver: OracleDriver,
  items: readonly NewItem[],
): Promise<readonly EnqueueOutcome[]> {
  if (items.length === 0) return [];
  const ordered = items.toSorted(byKey);
  const types = contextTypes(driver, ordered);
  const rows = ordered.map((item) => ({
    ...contextRow(item),
    scheduled_exec_time: validInstant(item.scheduledExecTime),
    init_workflow_id: item.initWorkflowId,
  }));
  const rowTypes = {
    ...types,
    scheduled_exec_time: { type: driver.DB_TYPE_TIMESTAMP_TZ },
    init_workflow_id: { type: driver.DB_TYPE_VARCHAR, maxSize: widest.workflowId },
  };
  return inSession('enqueue_items', async (session) => {
    const answers = await session.executeMany<Answer>('enqueue_items', rows, rowTypes);
    await session.commit();
    const judged = new Map<NewItem, Kind>();
    const present: NewItem[] = [];
    for (const [index, item] of ordered.entries()) {
      const outcome = answers[index]?.outcome;
      if (outcome === 'enqueued' || outcome === 'duplicate') judged.set(item, outcome);
      else present.push(item);
    }
    if (present.length > 0) await compareWithStore(session, types, { present, judged });
    return items.map((item) => ({
      kind: judged.get(item) ?? 'duplicate',
      itemType: item.itemType,
      itemId: item.itemId,
    }));
  });
}

async function compareWithStore(
  session: OracleSession,
  types: Record<string, BindDefinition>,
  { present, judged }: { present: readonly NewItem[]; judged: Map<NewItem, Kind> },
): Promise<void> {
  const rows = present.map(contextRow);
  const answers = await session.executeMany<Answer>('compare_contexts', rows, types);
  for (const [index, item] of present.entries()) {
    const outcome = answers[index]?.outcome;
    if (outcome !== 'duplicate' && outcome !== 'conflict') {
      const cause = new Error(`item ${item.itemId} was in the way of its enqueue and is gone now`);
      throw new QueueStoreError({ code: 'STORE_UNAVAILABLE', operation: 'compare_contexts', cause });
    }
    judged.set(item, outcome);
  }
}

/** Two callers who insert the same keys then wait for each other, and never in a circle. */
function byKey(one: NewItem, other: NewItem): number {
  return compare(one.itemType, other.itemType) || compare(one.itemId, other.itemId);
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function contextRow(item: NewItem): BindRow {
  return {
    item_type: item.itemType,
    item_id: item.itemId,
    context_json: item.contextJson,
    context_version: item.contextVersion,
  };
}

function contextTypes(driver: OracleDriver, items: readonly NewItem[]): Record<string, BindDefinition> {
  const type = driver.DB_TYPE_VARCHAR;
  // Beyond 32,767 bytes the driver makes a temporary CLOB of every context of the call.
  const longest = items.reduce((bytes, item) => Math.max(bytes, Buffer.byteLength(item.contextJson)), 1);
  return {
    item_type: { type, maxSize: widest.itemType },
    item_id: { type, maxSize: widest.itemId },
    context_json: { type, maxSize: longest },
    context_version: { type: driver.DB_TYPE_NUMBER },
    outcome: { type, dir: driver.BIND_OUT, maxSize: widest.word },
  };
}
