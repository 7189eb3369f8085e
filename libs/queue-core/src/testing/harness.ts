import { randomBytes } from 'node:crypto';
import type { DispatchConfig } from '../dispatch-config.js';
import type { DispatchQueue, NewItem, QueueRow } from '../ports.js';

/** A store under test, and two things that only time and accidents do to it. */
export interface QueueHarness {
  readonly queue: DispatchQueue;
  /** Makes claims and waits for a retry of an item type look as if they had begun this much earlier. */
  passTime(itemType: string, minutes: number): Promise<void>;
  /** Loses the context of one item. */
  dropContext(itemType: string, itemId: string): Promise<void>;
  close(): Promise<void>;
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
