// What slot assignment needs from a database, in the words of the domain.

/** One version of a rate limit. Only one version of a name is active. */
export interface RateConfig {
  readonly configName: string;
  readonly version: number;
  readonly maxPerWindow: number;
  readonly windowSizeMs: number;
  /** A slot lies at most this long after the requested time; past it the answer is 'exhausted'. */
  readonly maxDelayMs: number;
}

export type RateConfigDraft = Omit<RateConfig, 'version'>;

export interface SlotRequest {
  readonly eventId: string;
  readonly requestedTime: Date;
}

export interface Slot {
  readonly eventId: string;
  /** The time asked for when the slot was given; a later request for the same event does not change it. */
  readonly requestedTime: Date;
  readonly scheduledTime: Date;
  readonly windowStart: Date;
  readonly slotNo: number;
}

export type SlotAnswer =
  | { readonly kind: 'assigned'; readonly slot: Slot }
  /** The event had a slot already, whatever time was asked for now. */
  | { readonly kind: 'existing'; readonly slot: Slot }
  /** Every window up to the horizon of the config is full; nothing was written. */
  | { readonly kind: 'exhausted'; readonly eventId: string; readonly horizon: Date };

export type AssignOutcome =
  /** One answer a request, in their order. */
  | { readonly kind: 'answered'; readonly answers: readonly SlotAnswer[] }
  /** The version is no longer the active one; nothing was written. Read the config again and repeat. */
  | { readonly kind: 'config-changed' };

export interface SlotStore {
  /**
   * Gives every event of the group a slot, as if they had come one by one in this order, in one transaction and one
   * round trip. An event that is in the group twice gets one slot.
   */
  assign(config: RateConfig, requests: readonly SlotRequest[]): Promise<AssignOutcome>;
  find(configName: string, eventId: string): Promise<Slot | undefined>;
}

export type ActivateOutcome =
  | { readonly kind: 'activated'; readonly config: RateConfig }
  /** The active version says the same already. */
  | { readonly kind: 'unchanged'; readonly config: RateConfig }
  /** Windows of another size hold slots that still lie ahead; they would overlap the new ones. */
  | { readonly kind: 'window-size-in-use'; readonly lastWindowEnd: Date };

export interface RateConfigStore {
  findActive(configName: string): Promise<RateConfig | undefined>;
  listActive(): Promise<readonly RateConfig[]>;
  /** Makes a new version the active one; slots and counters of earlier versions stay as they are. */
  activate(draft: RateConfigDraft, changedBy: string): Promise<ActivateOutcome>;
}
