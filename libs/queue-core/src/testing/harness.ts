import { randomBytes } from 'node:crypto';
import type { DispatchConfig } from '../dispatch-config.js';
import type {
  AuditEntry,
  Claim,
  ClaimRequest,
  DispatchQueue,
  NewItem,
  QueueRow,
  QueueStatus,
} from '../ports.js';

/** A store under test, and what only time, accidents and other sessions do to it. */
export interface QueueHarness {
  readonly queue: DispatchQueue;
  /** Makes all that was written about an item type look as if it had been written this much earlier; due times stay. */
  passTime(itemType: string, minutes: number): Promise<void>;
  /** Loses the context of one item. */
  dropContext(itemType: string, itemId: string): Promise<void>;
  /** Claims in a transaction that stays open and holds its locks until it is told how to end. */
  claimAndHold(request: ClaimRequest): Promise<HeldClaim>;
  /** The same store, used by sessions whose time zone is this one. */
  inTimeZone(zone: string): Promise<{ readonly queue: DispatchQueue; close(): Promise<void> }>;
  close(): Promise<void>;
}

export interface HeldClaim {
  readonly claim: Claim;
  commit(): Promise<void>;
  rollBack(): Promise<void>;
}

export type CurrentHarness = () => QueueHarness;

export const settings: DispatchConfig = {
  enabled: true,
  batchSize: 100,
  dispatchIntervalSecs: 5,
  jitterWindowMs: 0,
  preStartBufferMins: 1,
  maxDispatchRetries: 3,
  staleClaimThresholdMins: 2,
  execWorkflowType: 'SampleWorkflow',
  execTaskQueue: 'sample-task-queue',
};

/** A new item type with a config row of its own, so that tests never meet. */
export async function newItemType(
  { queue }: QueueHarness,
  changes: Partial<DispatchConfig> = {},
): Promise<string> {
  const itemType = unconfiguredItemType();
  await queue.writeConfig({ itemType, config: { ...settings, ...changes }, by: 'conformance' });
  return itemType;
}

export function unconfiguredItemType(): string {
  return `T${randomBytes(8).toString('hex').toUpperCase()}`;
}

export function newItem(itemType: string, itemId: string, changes: Partial<NewItem> = {}): NewItem {
  return {
    itemType,
    itemId,
    contextJson: JSON.stringify({ of: itemId }),
    contextVersion: 1,
    scheduledExecTime: new Date(Date.now() - 60_000),
    initWorkflowId: `init-${itemId}`,
    ...changes,
  };
}

export function newItems(itemType: string, count: number): NewItem[] {
  return Array.from({ length: count }, (_, index) => newItem(itemType, `item-${index}`));
}

export async function rowOf({ queue }: QueueHarness, itemType: string, itemId: string): Promise<QueueRow> {
  const found = await queue.findItem(itemType, itemId);
  if (!found) throw new Error(`item ${itemId} is not in the queue`);
  return found.row;
}

export async function actionsOf(
  { queue }: QueueHarness,
  itemType: string,
  itemId: string,
): Promise<string[]> {
  const found = await queue.findItem(itemType, itemId);
  return (found?.trail ?? []).map((entry) => entry.action);
}

/** One item in the status asked for. Where it was claimed on the way, the token was HOLDER. */
export async function itemIn(harness: QueueHarness, status: QueueStatus): Promise<string> {
  const itemType = await newItemType(harness);
  const { queue } = harness;
  await queue.enqueue([newItem(itemType, 'a')]);
  const held = { itemType, token: 'HOLDER' };
  if (status === 'READY') return itemType;
  if (status === 'CANCELLED') {
    await queue.cancel({ itemType, itemIds: ['a'], reason: 'a test', by: 'ann' });
    return itemType;
  }
  await queue.claim({ ...held, limit: 1 });
  if (status === 'DISPATCHED') {
    await queue.markDispatched({
      ...held,
      items: [{ itemId: 'a', execWorkflowId: 'w-a', alreadyStarted: false }],
    });
  }
  if (status === 'EXHAUSTED') {
    await queue.exhaust({ ...held, failures: [{ itemId: 'a', error: 'it is broken' }] });
  }
  return itemType;
}

export async function lastEntryOf(
  { queue }: QueueHarness,
  itemType: string,
  itemId: string,
): Promise<AuditEntry | undefined> {
  return (await queue.findItem(itemType, itemId))?.trail.at(-1);
}

/** Enqueues as a producer of many items does. */
export async function fill({ queue }: QueueHarness, items: readonly NewItem[]): Promise<void> {
  for (let index = 0; index < items.length; index += 2_500) {
    await queue.enqueue(items.slice(index, index + 2_500));
  }
}
