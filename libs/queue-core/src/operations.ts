import type { QueueStatus } from './ports.js';

/** What a person wants done to items, and why; both go into the audit trail of each item that changes. */
export interface OperatorOrder {
  readonly itemType: string;
  readonly itemIds: readonly string[];
  readonly reason: string;
  readonly by: string;
}

/** changed: done and written down. refused: its status does not allow it, nothing was written. unknown: not in the store. */
export type OrderOutcome =
  | { readonly kind: 'changed'; readonly itemId: string }
  | { readonly kind: 'refused'; readonly itemId: string; readonly status: QueueStatus }
  | { readonly kind: 'unknown'; readonly itemId: string };

export interface ExhaustedItem {
  readonly itemId: string;
  readonly scheduledExecTime: Date;
  readonly initWorkflowId: string;
  readonly retryCount: number;
  readonly lastError: string | null;
  readonly exhaustedAt: Date;
}

export interface ExhaustedFilter {
  /** Letters count as they are written. */
  readonly errorContains?: string | undefined;
  readonly exhaustedFrom?: Date | undefined;
  readonly exhaustedBefore?: Date | undefined;
}

/** Where a page of exhausted items ended. `at` is an ISO 8601 instant in UTC, to the microsecond. */
export interface ExhaustedCursor {
  readonly at: string;
  readonly itemId: string;
}

export interface ExhaustedPage {
  readonly items: readonly ExhaustedItem[];
  /** Null when this is the last page. */
  readonly next: ExhaustedCursor | null;
}

/** One thing that a person did. `itemId` is null when it was done to the item type as a whole. */
export interface ChangeEntry {
  readonly action: string;
  readonly itemId: string | null;
  readonly statusBefore: string | null;
  readonly statusAfter: string | null;
  readonly detail: string | null;
  readonly actor: string;
  readonly createdAt: Date;
}

export interface ChangePage {
  readonly changes: readonly ChangeEntry[];
  /** Where the next page begins, or null when this is the last. */
  readonly next: string | null;
}

/** READY items due within one minute of UTC. */
export interface MinuteDepth {
  readonly minute: Date;
  readonly ready: number;
  /** False: the count stopped at the cap, and there are at least so many. */
  readonly exact: boolean;
}

/** What people do to the queue. All of it is in the audit log with their name. */
export interface QueueOperations {
  /** The kill switch alone; other settings stay as they are, whoever changes them at the same moment. */
  switchDispatch(change: {
    readonly itemType: string;
    readonly enabled: boolean;
    readonly reason: string;
    readonly by: string;
  }): Promise<{ readonly kind: 'changed' | 'unchanged' | 'unknown' }>;
  /** EXHAUSTED items wait again, with all their retries. One outcome an id, in the order given. */
  requeue(order: OperatorOrder): Promise<readonly OrderOutcome[]>;
  /** READY items will never start. One outcome an id, in the order given. */
  cancel(order: OperatorOrder): Promise<readonly OrderOutcome[]>;
  /** Those that were set aside first come first. */
  listExhausted(request: {
    readonly itemType: string;
    readonly filter?: ExhaustedFilter | undefined;
    readonly after?: ExhaustedCursor | null | undefined;
    readonly limit: number;
  }): Promise<ExhaustedPage>;
  /** Newest first. */
  listChanges(request: {
    readonly itemType: string;
    readonly after?: string | null | undefined;
    readonly limit: number;
  }): Promise<ChangePage>;
  /** For what a person did that changed no row of the queue. */
  recordAction(action: {
    readonly itemType: string;
    readonly action: string;
    readonly reason: string;
    readonly by: string;
  }): Promise<void>;
  /** Only minutes that have items, from the oldest item on or from the minute of `from`. */
  measureMinutes(request: {
    readonly itemType: string;
    readonly from?: Date | undefined;
    readonly minutes: number;
    readonly capPerMinute: number;
  }): Promise<readonly MinuteDepth[]>;
  /** What retention has not removed yet. Counts stop at the cap. */
  countFinished(
    itemType: string,
    cap: number,
  ): Promise<{ readonly dispatched: number; readonly cancelled: number }>;
}

/** Keeps the tables small. Each call removes one small batch; rows that somebody holds are left for the next one. */
export interface QueueRetention {
  /** DISPATCHED and CANCELLED items with their contexts. An id that has gone can be enqueued anew. */
  purgeFinished(request: {
    readonly itemType: string;
    readonly minAgeSeconds: number;
    readonly limit: number;
  }): Promise<{ readonly items: number; readonly contexts: number }>;
  /** Audit rows of all item types. */
  pruneAudit(request: {
    readonly minAgeSeconds: number;
    readonly limit: number;
  }): Promise<{ readonly removed: number }>;
}
