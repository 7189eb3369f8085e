import type { ChangeEntry, ExhaustedItem } from '../operations.js';
import type { AuditEntry, ConfigRow, QueueRow, QueueStatus } from '../ports.js';

// Rows as the statements return them; names are those of the columns.

export interface OutcomeRow {
  item_type: string;
  item_id: string;
  outcome: 'enqueued' | 'duplicate' | 'conflict' | 'unseen';
}

export interface TakenRow {
  item_id: string;
  queue_status: 'CLAIMED' | 'EXHAUSTED';
  reclaimed: boolean;
  retry_count: number;
  scheduled_exec_time: Date;
  ms_until_due: number;
  context_json: string | null;
  context_version: number | null;
}

export interface DepthRow {
  ready: number;
  claimed: number;
  exhausted: number;
  oldest_due_seconds: number;
}

export interface RateConfigRow {
  item_type: string;
  enabled: boolean;
  batch_size: number;
  dispatch_interval_secs: number;
  jitter_window_ms: number;
  pre_start_buffer_mins: number;
  max_dispatch_retries: number;
  stale_claim_threshold_mins: number;
  exec_workflow_type: string;
  exec_task_queue: string;
  updated_at: Date;
}

export interface ItemRow {
  item_type: string;
  item_id: string;
  queue_status: QueueStatus;
  scheduled_exec_time: Date;
  init_workflow_id: string;
  dispatch_batch_id: string | null;
  exec_workflow_id: string | null;
  claimed_at: Date | null;
  dispatched_at: Date | null;
  retry_count: number;
  retry_after: Date | null;
  last_error: string | null;
  created_at: Date;
  updated_at: Date;
}

export interface AuditRow {
  batch_id: string | null;
  action: string;
  status_before: string | null;
  status_after: string | null;
  detail: string | null;
  actor: string | null;
  created_at: Date;
}

export interface ExhaustedRow {
  item_id: string;
  scheduled_exec_time: Date;
  init_workflow_id: string;
  retry_count: number;
  last_error: string | null;
  exhausted_at: Date;
  cursor_at: string;
}

export interface ChangeRow {
  audit_id: string;
  action: string;
  item_id: string | null;
  status_before: string | null;
  status_after: string | null;
  detail: string | null;
  actor: string;
  created_at: Date;
}

export function toConfigRow(row: RateConfigRow): ConfigRow {
  return {
    itemType: row.item_type,
    updatedAt: row.updated_at,
    config: {
      enabled: row.enabled,
      batchSize: row.batch_size,
      dispatchIntervalSecs: row.dispatch_interval_secs,
      jitterWindowMs: row.jitter_window_ms,
      preStartBufferMins: row.pre_start_buffer_mins,
      maxDispatchRetries: row.max_dispatch_retries,
      staleClaimThresholdMins: row.stale_claim_threshold_mins,
      execWorkflowType: row.exec_workflow_type,
      execTaskQueue: row.exec_task_queue,
    },
  };
}

export function toQueueRow(row: ItemRow): QueueRow {
  return {
    itemType: row.item_type,
    itemId: row.item_id,
    status: row.queue_status,
    scheduledExecTime: row.scheduled_exec_time,
    initWorkflowId: row.init_workflow_id,
    dispatchBatchId: row.dispatch_batch_id,
    execWorkflowId: row.exec_workflow_id,
    claimedAt: row.claimed_at,
    dispatchedAt: row.dispatched_at,
    retryCount: row.retry_count,
    retryAfter: row.retry_after,
    lastError: row.last_error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function toAuditEntry(row: AuditRow): AuditEntry {
  return {
    action: row.action,
    batchId: row.batch_id,
    statusBefore: row.status_before,
    statusAfter: row.status_after,
    detail: row.detail,
    actor: row.actor,
    createdAt: row.created_at,
  };
}

export function toExhaustedItem(row: ExhaustedRow): ExhaustedItem {
  return {
    itemId: row.item_id,
    scheduledExecTime: row.scheduled_exec_time,
    initWorkflowId: row.init_workflow_id,
    retryCount: row.retry_count,
    lastError: row.last_error,
    exhaustedAt: row.exhausted_at,
  };
}

export function toChangeEntry(row: ChangeRow): ChangeEntry {
  return {
    action: row.action,
    itemId: row.item_id,
    statusBefore: row.status_before,
    statusAfter: row.status_after,
    detail: row.detail,
    actor: row.actor,
    createdAt: row.created_at,
  };
}
