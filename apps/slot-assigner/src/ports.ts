import type { RateConfig } from '@sluice/rate-window';

export type { RateConfig, RateConfigStore, SlotAnswer, SlotRequest, SlotStore } from '@sluice/rate-window';

/** The active rate limits as this node remembers them. */
export interface ActiveConfigs {
  find(configName: string): Promise<RateConfig | undefined>;
  /** Makes the next `find` of this name ask the database. */
  forget(configName: string): void;
  /** The same for all names; says how many were remembered. */
  forgetAll(): number;
}

/** What one node tells all of them: a rate limit has changed, or nothing that is remembered counts any more. */
export type Notice = { readonly kind: 'changed'; readonly configName: string } | { readonly kind: 'flush' };

/** The way from one node to all, itself included. A notice may be lost; then what is remembered grows old by itself. */
export interface Announcements {
  /** False where there is no such way. Throws SlotStoreUnavailableError when it is broken. */
  announce(notice: Notice): Promise<boolean>;
}

/** What the use cases report; `metrics.ts` counts it. */
export interface Observer {
  answered(outcome: AnswerOutcome, count: number): void;
  /** From the request to its answer, waiting for a group included. */
  took(seconds: number): void;
  grouped(group: {
    readonly events: number;
    readonly seconds: number;
    readonly windowsSearched: number;
  }): void;
  /** A group was placed under a version that had been replaced, and had to be placed again. */
  staleConfigUsed(): void;
  queued(events: number): void;
  configLookedUp(result: 'hit' | 'miss'): void;
  noticed(kind: Notice['kind']): void;
}

export type AnswerOutcome =
  | 'assigned'
  | 'existing'
  | 'exhausted'
  | 'closed'
  | 'unknown_config'
  | 'overloaded'
  | 'caller_overloaded'
  | 'abandoned'
  | 'failed';
