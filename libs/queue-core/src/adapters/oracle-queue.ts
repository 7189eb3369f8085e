import type { DispatchConfig } from '../dispatch-config.js';
import type { DispatchQueue } from '../ports.js';
import { requireItems, requireTexts, storableText } from '../storable-text.js';
import { createBinds } from './oracle-binds.js';
import type { Binds } from './oracle-binds.js';
import { claimBatch } from './oracle-claim.js';
import { loadOracleDriver } from './oracle-driver.js';
import type { OraclePool } from './oracle-driver.js';
import { enqueueItems } from './oracle-enqueue.js';
import { operating } from './oracle-operations.js';
import { retaining } from './oracle-retention.js';
import { createSettling } from './oracle-settling.js';
import { createSessions } from './oracle-statements.js';
import type { InSession } from './oracle-statements.js';
import { counting, listing } from './oracle-views.js';
import { toAuditEntry, toConfigRow, toQueueRow } from './queue-rows.js';
import type { AuditRow, DepthRow, ItemRow, RateConfigRow } from './queue-rows.js';

const longestDetail = 1_000;
const longestTrail = 200;
// It shares 4,000 bytes with the settings before and after.
const longestReason = 300;

/**
 * The dispatch queue in Oracle 19c or later, by `oracledb` in thin mode.
 * The time limit is for one round trip; a call makes up to four.
 */
export function createOracleQueue(
  pool: OraclePool,
  { callTimeoutMs = 30_000 }: { readonly callTimeoutMs?: number } = {},
): DispatchQueue {
  const driver = loadOracleDriver();
  const binds = createBinds(driver);
  const inSession = createSessions(pool, driver, { callTimeoutMs });
  return {
    async enqueue(items) {
      requireItems('enqueue_items', items);
      return enqueueItems(inSession, driver, items);
    },
    claim: (request) => claimBatch(inSession, binds, request),
    ...createSettling(inSession, binds),
    ...configuring(inSession, binds),
    ...viewing(inSession, binds),
    ...operating(inSession, binds),
    ...listing(inSession, binds),
    ...counting(inSession, binds),
    ...retaining(inSession, binds),
    async recordCycle({ itemType, batchId, detail }) {
      const row = {
        item_type: binds.text(itemType),
        batch_id: binds.text(batchId),
        detail: binds.text(detail.slice(0, longestDetail)),
      };
      await inSession('record_cycle', (session) =>
        session.execute('record_cycle', row, { autoCommit: true }),
      );
    },
  };
}

function viewing(inSession: InSession, binds: Binds): Pick<DispatchQueue, 'findItem' | 'measureDepth'> {
  return {
    findItem: (itemType, itemId) =>
      inSession('find_item', async (session) => {
        const key = { item_type: binds.text(itemType), item_id: binds.text(itemId) };
        const [row] = await session.query<ItemRow>('find_item', key);
        if (!row) return null;
        const trail = await session.query<AuditRow>('find_audit_trail', {
          ...key,
          batch_id: binds.text(row.dispatch_batch_id),
          max_rows: binds.number(longestTrail),
        });
        return { row: toQueueRow(row), trail: trail.map(toAuditEntry) };
      }),
    async measureDepth(itemType, cap) {
      const what = { item_type: binds.text(itemType), cap: binds.number(cap) };
      const [row] = await inSession('measure_depth', (session) =>
        session.query<DepthRow>('measure_depth', what),
      );
      return {
        ready: row?.ready ?? 0,
        claimed: row?.claimed ?? 0,
        exhausted: row?.exhausted ?? 0,
        oldestDueSeconds: row?.oldest_due_seconds ?? 0,
      };
    },
  };
}

type Configuring = Pick<DispatchQueue, 'readConfig' | 'listConfigs' | 'writeConfig'>;

function configuring(inSession: InSession, binds: Binds): Configuring {
  const read = async (itemType: string | null) => {
    const rows = await inSession('read_configs', (session) =>
      session.query<Omit<RateConfigRow, 'enabled'> & { enabled: number }>('read_configs', {
        item_type: binds.text(itemType),
      }),
    );
    return rows.map((row) => toConfigRow({ ...row, enabled: row.enabled === 1 }));
  };
  return {
    // The empty string would be NULL, and NULL asks for all of them.
    readConfig: async (itemType) => (itemType === '' ? null : ((await read(itemType))[0] ?? null)),
    listConfigs: () => read(null),
    async writeConfig({ itemType, config, by, reason }) {
      requireTexts('write_config', { by });
      const row = {
        item_type: binds.text(itemType),
        ...configBinds(binds, config),
        actor: binds.text(by),
        reason: binds.text(reason === undefined ? null : storableText(reason).slice(0, longestReason)),
        outcome: binds.outWord(),
      };
      const { outcome } = await inSession('write_config', (session) =>
        session.execute<{ outcome: 'created' | 'changed' | 'unchanged' }>('write_config', row, {
          autoCommit: true,
        }),
      );
      return { kind: outcome };
    },
  };
}

function configBinds(binds: Binds, config: DispatchConfig) {
  return {
    enabled: binds.number(config.enabled ? 1 : 0),
    batch_size: binds.number(config.batchSize),
    dispatch_interval_secs: binds.number(config.dispatchIntervalSecs),
    jitter_window_ms: binds.number(config.jitterWindowMs),
    pre_start_buffer_mins: binds.number(config.preStartBufferMins),
    max_dispatch_retries: binds.number(config.maxDispatchRetries),
    stale_claim_threshold_mins: binds.number(config.staleClaimThresholdMins),
    exec_workflow_type: binds.text(config.execWorkflowType),
    exec_task_queue: binds.text(config.execTaskQueue),
  };
}
