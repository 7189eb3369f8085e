import type { DispatchConfig } from './dispatch-config.js';
import type { QueueOperations, QueueRetention } from './operations.js';

export type QueueStatus = 'READY' | 'CLAIMED' | 'DISPATCHED' | 'EXHAUSTED' | 'CANCELLED';

/** What an init workflow hands over: when to start the item's exec workflow, and what to give it. */
export interface NewItem {
  readonly itemType: string;
  readonly itemId: string;
  readonly contextJson: string;
  readonly contextVersion: number;
  readonly scheduledExecTime: Date;
  readonly initWorkflowId: string;
}

/**
 * enqueued: it waits now. duplicate: it is in the store already, with the same context, in whatever status; the first
 * scheduled time stands. conflict: another context has this id; nothing was changed.
 */
export interface EnqueueOutcome {
  readonly kind: 'enqueued' | 'duplicate' | 'conflict';
  readonly itemType: string;
  readonly itemId: string;
}

/** A token names one claim; every later write repeats it, so a claim that was taken over can change nothing. */
export interface ClaimRequest {
  readonly itemType: string;
  readonly token: string;
  readonly limit: number;
}

export interface ClaimedItem {
  readonly itemId: string;
  readonly contextJson: string;
  readonly contextVersion: number;
  readonly scheduledExecTime: Date;
  /** By the clock of the store, at the claim; negative when overdue. */
  readonly msUntilDue: number;
  readonly retryCount: number;
  /** Taken over from a claim that went stale. */
  readonly reclaimed: boolean;
}

/** The three lists together are never longer than the limit. */
export interface Claim {
  readonly items: readonly ClaimedItem[];
  /** Claimed, and there is no context to give them: the caller sets them aside with `exhaust`. */
  readonly withoutContext: readonly string[];
  /** No retry was left: the store has set them aside itself. */
  readonly exhausted: readonly string[];
}

export interface HeldItems {
  readonly itemType: string;
  readonly token: string;
}

export interface DispatchedItem {
  readonly itemId: string;
  readonly execWorkflowId: string;
  /** The workflow was there before: success, with an audit action of its own. */
  readonly alreadyStarted: boolean;
}

export interface FailedItem {
  readonly itemId: string;
  readonly error: string;
}

/** `fenced`: items that this token does not hold any more; nothing was written for them. */
export interface Settled {
  readonly fenced: readonly string[];
}

export interface Returned extends Settled {
  readonly returned: readonly string[];
  readonly exhausted: readonly string[];
}

export interface ConfigRow {
  readonly itemType: string;
  readonly config: DispatchConfig;
  readonly updatedAt: Date;
}

export interface QueueRow {
  readonly itemType: string;
  readonly itemId: string;
  readonly status: QueueStatus;
  readonly scheduledExecTime: Date;
  readonly initWorkflowId: string;
  readonly dispatchBatchId: string | null;
  readonly execWorkflowId: string | null;
  readonly claimedAt: Date | null;
  readonly dispatchedAt: Date | null;
  readonly retryCount: number;
  /** A READY item whose start failed is left alone until then. */
  readonly retryAfter: Date | null;
  readonly lastError: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface AuditEntry {
  readonly action: string;
  readonly batchId: string | null;
  readonly statusBefore: string | null;
  readonly statusAfter: string | null;
  readonly detail: string | null;
  readonly actor: string | null;
  readonly createdAt: Date;
}

/** Counts stop at the cap that was asked for. */
export interface QueueDepth {
  readonly ready: number;
  readonly claimed: number;
  readonly exhausted: number;
  /** How long the oldest READY item is overdue; 0 when none is. */
  readonly oldestDueSeconds: number;
}

/**
 * The dispatch queue. Times of claims and due times are compared by the clock of the store, never by the caller's.
 * A method throws QueueStoreError when the store fails; everything else it has to say is in its result.
 */
export interface DispatchQueue extends QueueOperations, QueueRetention {
  /**
   * All or nothing, and safe to repeat. One outcome an item, in the order given. Refuses empty texts: not every store
   * can tell them from missing ones.
   */
  enqueue(items: readonly NewItem[]): Promise<readonly EnqueueOutcome[]>;
  /**
   * Claims that went stale and READY items that are due: half of the limit each, and what one leaves the other takes.
   * Empty while the item type is switched off or has no config.
   */
  claim(request: ClaimRequest): Promise<Claim>;
  markDispatched(held: HeldItems & { readonly items: readonly DispatchedItem[] }): Promise<Settled>;
  /** Counts a retry and makes the item wait for it, longer each time; past the last one it is EXHAUSTED instead. */
  returnToReady(held: HeldItems & { readonly failures: readonly FailedItem[] }): Promise<Returned>;
  /** Counts no retry: the item was not tried, or what failed was not its own. The reason is kept as its last error. */
  release(
    held: HeldItems & { readonly itemIds: readonly string[]; readonly reason: string },
  ): Promise<Settled>;
  /** Sets items aside that no retry can help. */
  exhaust(held: HeldItems & { readonly failures: readonly FailedItem[] }): Promise<Settled>;
  recordCycle(cycle: {
    readonly itemType: string;
    readonly batchId: string;
    readonly detail: string;
  }): Promise<void>;
  readConfig(itemType: string): Promise<ConfigRow | null>;
  listConfigs(): Promise<readonly ConfigRow[]>;
  writeConfig(change: {
    readonly itemType: string;
    readonly config: DispatchConfig;
    readonly by: string;
    readonly reason?: string | undefined;
  }): Promise<{ readonly kind: 'created' | 'changed' | 'unchanged' }>;
  findItem(
    itemType: string,
    itemId: string,
  ): Promise<{ readonly row: QueueRow; readonly trail: readonly AuditEntry[] } | null>;
  measureDepth(itemType: string, cap: number): Promise<QueueDepth>;
}
