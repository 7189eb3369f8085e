// What slot assignment needs from a database, in the words of the domain.
import type { CalendarRules } from './calendar-rules.js';

/** How slots lie inside a window: evenly at every fill level, or by chance. No span holds more than its share plus one slot if even. */
export type SpreadKind = 'even' | 'random';

/** One version of a rate limit. Only one version of a name is active. */
export interface RateConfig {
  readonly configName: string;
  readonly version: number;
  readonly maxPerWindow: number;
  readonly windowSizeMs: number;
  /**
   * A slot lies at most this long after the requested time, or after the present for a time that is past; beyond it the
   * answer is 'exhausted'.
   */
  readonly maxDelayMs: number;
  readonly spread: SpreadKind;
  /** When slots may lie; null is always. */
  readonly calendar: CalendarRules | null;
}

/** What an operator states; the spread is even and the calendar always open unless told. */
export type RateConfigDraft = Omit<RateConfig, 'version' | 'spread' | 'calendar'> &
  Partial<Pick<RateConfig, 'spread' | 'calendar'>>;

export interface SlotRequest {
  readonly eventId: string;
  /** A time that is past, by the clock of the database, counts as the present: no slot lies in the past. */
  readonly requestedTime: Date;
}

export interface Slot {
  readonly eventId: string;
  /** The time asked for when the slot was given; a later request for the same event does not change it. */
  readonly requestedTime: Date;
  readonly scheduledTime: Date;
  readonly windowStart: Date;
  /** Unique in its window, and below the capacity that was in force. */
  readonly slotNo: number;
}

export type SlotAnswer =
  | { readonly kind: 'assigned'; readonly slot: Slot }
  /** The event had a slot already, whatever time was asked for now. */
  | { readonly kind: 'existing'; readonly slot: Slot }
  /** Every window up to the horizon of the config is full; nothing was written. */
  | { readonly kind: 'exhausted'; readonly eventId: string; readonly horizon: Date }
  /** The calendar has no open time up to the horizon, however empty the windows are; nothing was written. */
  | { readonly kind: 'closed'; readonly eventId: string; readonly horizon: Date };

export type AssignOutcome =
  | {
      readonly kind: 'answered';
      /** One answer a request, in their order. */
      readonly answers: readonly SlotAnswer[];
      /** Windows that were looked into; runs of full windows are stepped over and count as none. */
      readonly windowsSearched: number;
    }
  /** The version is not, or no longer, the active one; nothing was written. Read the config again and repeat. */
  | { readonly kind: 'config-changed' };

export type ReleaseOutcome =
  /** The slot is gone: its number may be given to another event, and its event may ask for a slot again. */
  | { readonly kind: 'released'; readonly slot: Slot }
  /** The slot's time has come; what runs at it can no longer be called off here, so nothing was changed. */
  | { readonly kind: 'past'; readonly slot: Slot }
  /** The event has no slot under this config, or it was released before. */
  | { readonly kind: 'not-found' };

export interface WindowFill {
  readonly windowStart: Date;
  readonly windowEnd: Date;
  /** More than the capacity where the capacity was lowered later. */
  readonly taken: number;
  /** What the active version lets this window hold; less than maxPerWindow where the calendar closes a part of it. */
  readonly capacity: number;
}

export interface WindowPage {
  /** Windows that were ever used, by time; windows in between hold nothing. */
  readonly windows: readonly WindowFill[];
  /** Where to go on when the limit cut the list off. */
  readonly next: Date | null;
}

export interface SlotLoad {
  /** The present by the clock of the database. */
  readonly now: Date;
  readonly currentWindow: WindowFill;
  /** Start of the last window that holds a slot; null when no slot lies in the present window or after it. */
  readonly furthestWindow: Date | null;
}

export interface SlotStore {
  /**
   * Gives every event of the group a slot, as if they had come one by one in the order of their requested times (and in
   * array order where these are equal), in one transaction and one round trip. An event that is in the group twice gets one slot.
   */
  assign(config: RateConfig, requests: readonly SlotRequest[]): Promise<AssignOutcome>;
  find(configName: string, eventId: string): Promise<Slot | undefined>;
  /** Gives the capacity of a slot back. Repeating it is harmless. */
  release(configName: string, eventId: string): Promise<ReleaseOutcome>;
  /** Windows that start in `from` (included) to `until` (excluded), at most `limit` of them. */
  listWindows(
    config: RateConfig,
    range: { readonly from: Date; readonly until: Date; readonly limit: number },
  ): Promise<WindowPage>;
  /** What the gauges show; costs a few index look-ups. */
  measure(config: RateConfig): Promise<SlotLoad>;
  /**
   * Removes slots of windows that ended at least `minAgeMs` ago, at most `limit` of them, and the windows that are empty then.
   * An event whose slot was removed is a stranger again: keep slots for longer than callers repeat their requests.
   */
  prune(request: {
    readonly configName: string;
    readonly minAgeMs: number;
    readonly limit: number;
  }): Promise<{
    readonly slots: number;
    readonly windows: number;
    /** Another call finds more. */ readonly more: boolean;
  }>;
}

export type ActivateOutcome =
  | { readonly kind: 'activated'; readonly config: RateConfig }
  /** The active version says the same already. */
  | { readonly kind: 'unchanged'; readonly config: RateConfig }
  /** Windows of another size hold slots that still lie ahead; they would overlap the new ones. */
  | { readonly kind: 'window-size-in-use'; readonly lastWindowEnd: Date }
  /** The calendar leaves no slot at all between now and the horizon, so that every request would be refused. */
  | { readonly kind: 'never-open'; readonly horizon: Date };

export interface RateConfigStore {
  findActive(configName: string): Promise<RateConfig | undefined>;
  listActive(): Promise<readonly RateConfig[]>;
  /** Makes a new version the active one; slots and counters of earlier versions stay as they are. */
  activate(draft: RateConfigDraft, changedBy: string): Promise<ActivateOutcome>;
}
