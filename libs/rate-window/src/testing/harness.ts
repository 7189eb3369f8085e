import type { RateConfig, RateConfigDraft, RateConfigStore, Slot, SlotRequest, SlotStore } from '../ports.js';

export interface TestClock {
  now(): Date;
}

/** A store under test. It may hold other data: each test makes up a config of its own. */
export interface SlotStoreHarness {
  /** The same store as seen by a node; with a clock, the present is what that clock says. */
  open(clock?: TestClock): SlotStore & RateConfigStore;
  close(): Promise<void>;
}

export type CurrentHarness = () => SlotStoreHarness;

export const NOON = Date.parse('2035-06-01T12:00:00Z');
export const HOUR = 60 * 60 * 1_000;
export const DAY = 24 * HOUR;

const run = Math.random().toString(36).slice(2, 8);
let configNumber = 0;

/** Ten slots in four seconds, up to an hour ahead, under a name that no other test has. */
export function newDraft(change: Partial<RateConfigDraft> = {}): RateConfigDraft {
  configNumber += 1;
  return {
    configName: `conformance-${run}-${configNumber}`,
    maxPerWindow: 10,
    windowSizeMs: 4_000,
    maxDelayMs: HOUR,
    ...change,
  };
}

export async function activate(store: RateConfigStore, draft: RateConfigDraft): Promise<RateConfig> {
  const outcome = await store.activate(draft, 'conformance');
  if (outcome.kind !== 'activated') throw new Error(`expected a new version, found ${outcome.kind}`);
  return outcome.config;
}

export function newConfig(
  store: RateConfigStore,
  change: Partial<RateConfigDraft> = {},
): Promise<RateConfig> {
  return activate(store, newDraft(change));
}

/** The slots of events that must all get one. */
export async function assignAll(
  store: SlotStore,
  config: RateConfig,
  requests: readonly SlotRequest[],
): Promise<Slot[]> {
  const outcome = await store.assign(config, requests);
  if (outcome.kind !== 'answered') throw new Error(`expected answers, found ${outcome.kind}`);
  return outcome.answers.map((answer) => {
    if (!('slot' in answer)) throw new Error(`no slot for ${answer.eventId}: ${answer.kind}`);
    return answer.slot;
  });
}

/** Requests of distinct events for one instant. */
export function burst(count: number, at: number = NOON, prefix = 'event'): SlotRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    eventId: `${prefix}-${index}`,
    requestedTime: new Date(at),
  }));
}

/** How many of the slots lie in each window, by window. */
export function fill(slots: readonly Slot[]): [windowStart: number, count: number][] {
  const counts = new Map<number, number>();
  for (const { windowStart } of slots) {
    counts.set(windowStart.getTime(), (counts.get(windowStart.getTime()) ?? 0) + 1);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

export function only<T>(items: readonly T[]): T {
  const [first] = items;
  if (first === undefined || items.length !== 1) throw new Error(`expected one, found ${items.length}`);
  return first;
}
