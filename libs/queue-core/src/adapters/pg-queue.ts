import type { Claim, ClaimedItem, ClaimRequest, DispatchQueue, Settled } from '../ports.js';
import { requireItems, requireTexts, storableText } from '../storable-text.js';
import { enqueueItems } from './pg-enqueue.js';
import { operating } from './pg-operations.js';
import { retaining } from './pg-retention.js';
import { toAuditEntry, toConfigRow, toQueueRow } from './queue-rows.js';
import type { AuditRow, DepthRow, ItemRow, RateConfigRow, TakenRow } from './queue-rows.js';
import { loadStatements } from './pg-statements.js';
import type { PgDatabase, RunStatement } from './pg-statements.js';

const longestTrail = 200;

/** The dispatch queue in PostgreSQL 15 or later. */
export function createPgQueue(db: PgDatabase): DispatchQueue {
  const run = loadStatements(db);
  return {
    async enqueue(items) {
      requireItems('enqueue_items', items);
      return enqueueItems(run, items);
    },
    claim: (request) => claimBatch(run, request),
    ...settling(run),
    ...configuring(run),
    ...operating(run),
    ...retaining(run),
    async recordCycle({ itemType, batchId, detail }) {
      await run('record_cycle', [itemType, batchId, detail]);
    },
    async findItem(itemType, itemId) {
      const [row] = await run<ItemRow>('find_item', [itemType, itemId]);
      if (!row) return null;
      const trail = await run<AuditRow>('find_audit_trail', [
        itemType,
        itemId,
        row.dispatch_batch_id,
        longestTrail,
      ]);
      return { row: toQueueRow(row), trail: trail.map(toAuditEntry) };
    },
    async measureDepth(itemType, cap) {
      const [row] = await run<DepthRow>('measure_depth', [itemType, cap]);
      return {
        ready: row?.ready ?? 0,
        claimed: row?.claimed ?? 0,
        exhausted: row?.exhausted ?? 0,
        oldestDueSeconds: row?.oldest_due_seconds ?? 0,
      };
    },
  };
}

async function claimBatch(run: RunStatement, { itemType, token, limit }: ClaimRequest): Promise<Claim> {
  requireTexts('claim_batch', { token });
  const rows = await run<TakenRow>('claim_batch', [itemType, token, limit]);
  const items: ClaimedItem[] = [];
  const withoutContext: string[] = [];
  const exhausted: string[] = [];
  for (const row of rows) {
    if (row.queue_status === 'EXHAUSTED') exhausted.push(row.item_id);
    else if (row.context_json === null || row.context_version === null) withoutContext.push(row.item_id);
    else items.push(toClaimedItem(row, row.context_json, row.context_version));
  }
  return { items, withoutContext, exhausted };
}

function toClaimedItem(row: TakenRow, contextJson: string, contextVersion: number): ClaimedItem {
  return {
    itemId: row.item_id,
    contextJson,
    contextVersion,
    scheduledExecTime: row.scheduled_exec_time,
    msUntilDue: row.ms_until_due,
    retryCount: row.retry_count,
    reclaimed: row.reclaimed,
  };
}

function settling(
  run: RunStatement,
): Pick<DispatchQueue, 'markDispatched' | 'returnToReady' | 'release' | 'exhaust'> {
  return {
    async markDispatched({ itemType, token, items }) {
      const ids = items.map((item) => item.itemId);
      if (ids.length === 0) return { fenced: [] };
      const workflowIds = items.map((item) => item.execWorkflowId);
      const actions = items.map((item) => (item.alreadyStarted ? 'ALREADY_STARTED' : 'DISPATCHED'));
      const rows = await run<{ item_id: string }>('mark_dispatched', [
        itemType,
        token,
        ids,
        workflowIds,
        actions,
      ]);
      return fencedOf(ids, rows);
    },
    async returnToReady({ itemType, token, failures }) {
      const ids = failures.map((failure) => failure.itemId);
      if (ids.length === 0) return { fenced: [], returned: [], exhausted: [] };
      const errors = failures.map((failure) => storableText(failure.error));
      const rows = await run<{ item_id: string; queue_status: string }>('return_to_ready', [
        itemType,
        token,
        ids,
        errors,
      ]);
      const idsIn = (status: string) =>
        rows.filter((row) => row.queue_status === status).map((row) => row.item_id);
      return { ...fencedOf(ids, rows), returned: idsIn('READY'), exhausted: idsIn('EXHAUSTED') };
    },
    async release({ itemType, token, itemIds, reason }) {
      if (itemIds.length === 0) return { fenced: [] };
      const rows = await run<{ item_id: string }>('release_items', [
        itemType,
        token,
        itemIds,
        storableText(reason),
      ]);
      return fencedOf(itemIds, rows);
    },
    async exhaust({ itemType, token, failures }) {
      const ids = failures.map((failure) => failure.itemId);
      if (ids.length === 0) return { fenced: [] };
      const errors = failures.map((failure) => storableText(failure.error));
      const rows = await run<{ item_id: string }>('exhaust_items', [itemType, token, ids, errors]);
      return fencedOf(ids, rows);
    },
  };
}

function configuring(run: RunStatement): Pick<DispatchQueue, 'readConfig' | 'listConfigs' | 'writeConfig'> {
  return {
    async readConfig(itemType) {
      const [row] = await run<RateConfigRow>('read_configs', [itemType]);
      return row ? toConfigRow(row) : null;
    },
    async listConfigs() {
      const rows = await run<RateConfigRow>('read_configs', [null]);
      return rows.map(toConfigRow);
    },
    async writeConfig({ itemType, config, by, reason }) {
      requireTexts('write_config', { by });
      const [written] = await run<{ created: boolean }>('write_config', [
        itemType,
        config.enabled,
        config.batchSize,
        config.dispatchIntervalSecs,
        config.jitterWindowMs,
        config.preStartBufferMins,
        config.maxDispatchRetries,
        config.staleClaimThresholdMins,
        config.execWorkflowType,
        config.execTaskQueue,
        by,
        reason === undefined ? null : storableText(reason),
      ]);
      if (!written) return { kind: 'unchanged' };
      return { kind: written.created ? 'created' : 'changed' };
    },
  };
}

function fencedOf(asked: readonly string[], changed: readonly { item_id: string }[]): Settled {
  const done = new Set(changed.map((row) => row.item_id));
  return { fenced: asked.filter((id) => !done.has(id)) };
}
