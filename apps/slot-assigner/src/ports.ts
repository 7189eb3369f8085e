import type { RateConfig } from '@sluice/rate-window';

export type { RateConfig, RateConfigStore, SlotAnswer, SlotRequest, SlotStore } from '@sluice/rate-window';

/** The active rate limits as this node remembers them. */
export interface ActiveConfigs {
  find(configName: string): Promise<RateConfig | undefined>;
  /** Makes the next `find` of this name ask the database. */
  forget(configName: string): void;
}

/** What the use cases report; `metrics.ts` counts it. */
export interface Observer {
  answered(outcome: AnswerOutcome, count: number): void;
  grouped(group: { readonly events: number; readonly seconds: number }): void;
  queued(events: number): void;
  configLookedUp(result: 'hit' | 'miss'): void;
}

export type AnswerOutcome =
  'assigned' | 'existing' | 'exhausted' | 'unknown_config' | 'overloaded' | 'failed';
