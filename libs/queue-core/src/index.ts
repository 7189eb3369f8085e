/**
 * The dispatch queue: items wait as rows until their time and leave in batches, each once.
 *
 *   const queue = createPgQueue(pool);
 *   await queue.enqueue([{ itemType: 'INVOICE', itemId: '42', contextJson: '{}', contextVersion: 1,
 *                          scheduledExecTime: new Date('2026-05-01T16:00:00Z'), initWorkflowId: 'init-42' }]);
 *
 *   const { items } = await queue.claim({ itemType: 'INVOICE', token: 'BATCH-1', limit: 50 });
 *   const started = await Promise.all(items.map((item) => start(item)));
 *   await queue.markDispatched({ itemType: 'INVOICE', token: 'BATCH-1', items: started });
 *
 * Workflow code imports '@sluice/queue-core/workflow'; adapters are tested with '@sluice/queue-core/testing'.
 */
export type { OraclePool } from './adapters/oracle-driver.js';
export { createOracleQueue } from './adapters/oracle-queue.js';
export { createPgQueue } from './adapters/pg-queue.js';
export { dispatchConfigSchema, itemIdSchema, itemTypeSchema } from './dispatch-config.js';
export type { DispatchConfig } from './dispatch-config.js';
export { QueueStoreError } from './errors.js';
export { execWorkflowId } from './exec-workflow-id.js';
export { queueMigrations } from './migrations.js';
export type {
  ChangeEntry,
  ChangePage,
  ExhaustedCursor,
  ExhaustedFilter,
  ExhaustedItem,
  ExhaustedPage,
  MinuteDepth,
  OperatorOrder,
  OrderOutcome,
  QueueOperations,
  QueueRetention,
} from './operations.js';
export type {
  AuditEntry,
  Claim,
  ClaimedItem,
  ClaimRequest,
  ConfigRow,
  DispatchedItem,
  DispatchQueue,
  EnqueueOutcome,
  FailedItem,
  HeldItems,
  NewItem,
  QueueDepth,
  QueueRow,
  QueueStatus,
  Returned,
  Settled,
} from './ports.js';
export { createSchedulableContextActivities } from './schedulable-context-activities.js';
export type {
  EnqueueReport,
  SchedulableContextActivities,
  SchedulableItem,
  ScheduleLifecycle,
} from './workflow.js';
