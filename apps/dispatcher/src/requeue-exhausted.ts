import type { DispatchQueue, ExhaustedFilter, QueueStatus } from '@sluice/queue-core';

export interface BulkRequeue {
  readonly itemType: string;
  readonly filter: ExhaustedFilter;
  readonly limit: number;
  readonly dryRun: boolean;
  readonly reason: string;
  readonly by: string;
}

export interface BulkRequeued {
  readonly matched: number;
  readonly requeued: number;
  readonly itemIds: readonly string[];
  /** Changed by somebody else between the search and the change; null: gone. */
  readonly refused: readonly { readonly itemId: string; readonly status: QueueStatus | null }[];
  readonly more: boolean;
}

/** Requeues what the filter finds, the items set aside first, or with `dryRun` only says what that would be. */
export async function requeueExhausted(
  queue: Pick<DispatchQueue, 'listExhausted' | 'requeue'>,
  { itemType, filter, limit, dryRun, reason, by }: BulkRequeue,
): Promise<BulkRequeued> {
  const page = await queue.listExhausted({ itemType, filter, limit });
  const itemIds = page.items.map((item) => item.itemId);
  const found = { matched: itemIds.length, more: page.next !== null };
  if (dryRun) return { ...found, requeued: 0, itemIds, refused: [] };
  const outcomes = await queue.requeue({ itemType, itemIds, reason, by });
  const changed = outcomes.filter((outcome) => outcome.kind === 'changed').map((outcome) => outcome.itemId);
  return {
    ...found,
    requeued: changed.length,
    itemIds: changed,
    refused: outcomes.flatMap((outcome) =>
      outcome.kind === 'changed'
        ? []
        : [{ itemId: outcome.itemId, status: outcome.kind === 'refused' ? outcome.status : null }],
    ),
  };
}
