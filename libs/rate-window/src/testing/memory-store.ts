import { mergeRepeats } from '../merge-repeats.js';
import type { RateConfig, RateConfigStore, Slot, SlotAnswer, SlotRequest, SlotStore } from '../ports.js';
import { createSpread, slotOffset } from '../spread.js';
import { alignToWindow, proportionalCapacity } from '../window.js';

/**
 * The rules of slot assignment written as plainly as they can be: every event walks over every window and takes the
 * lowest free number. It is the yardstick for the databases and a store for tests that need no database.
 */
export function createMemoryStore(now: () => Date = () => new Date()): SlotStore & RateConfigStore {
  const configs = new Map<string, RateConfig>();
  const slots = new Map<string, Slot>();
  const windows = new Map<string, Map<number, Set<number>>>();

  const numbersOf = (configName: string, windowStart: number): Set<number> => {
    const ofConfig = windows.get(configName) ?? new Map<number, Set<number>>();
    windows.set(configName, ofConfig);
    const numbers = ofConfig.get(windowStart) ?? new Set();
    ofConfig.set(windowStart, numbers);
    return numbers;
  };

  const assignOne = (config: RateConfig, request: SlotRequest): SlotAnswer => {
    const key = JSON.stringify([config.configName, request.eventId]);
    const existing = slots.get(key);
    if (existing !== undefined) return { kind: 'existing', slot: existing };
    const horizon = request.requestedTime.getTime() + config.maxDelayMs;
    let start = alignToWindow(request.requestedTime.getTime(), config.windowSizeMs);
    for (; start <= horizon; start += config.windowSizeMs) {
      const numbers = numbersOf(config.configName, start);
      const slot = placeInWindow(config, request, { start, numbers });
      if (slot === undefined) continue;
      numbers.add(slot.slotNo);
      slots.set(key, slot);
      return { kind: 'assigned', slot };
    }
    return { kind: 'exhausted', eventId: request.eventId, horizon: new Date(horizon) };
  };

  return {
    async assign(config, requests) {
      const active = configs.get(config.configName);
      if (active?.version !== config.version) return { kind: 'config-changed' };
      const { distinct, restore } = mergeRepeats(requests);
      const answers = distinct.map((request) => assignOne(active, request));
      return { kind: 'answered', answers: restore(answers) };
    },
    async find(configName, eventId) {
      return slots.get(JSON.stringify([configName, eventId]));
    },
    async findActive(configName) {
      return configs.get(configName);
    },
    async listActive() {
      return [...configs.values()].sort((a, b) => (a.configName < b.configName ? -1 : 1));
    },
    async activate(draft, _changedBy) {
      const active = configs.get(draft.configName);
      if (active !== undefined) {
        if (JSON.stringify({ ...active, ...draft }) === JSON.stringify(active)) {
          return { kind: 'unchanged', config: active };
        }
        const lastWindowEnd =
          active.windowSizeMs + lastTakenWindow(windows.get(draft.configName) ?? new Map());
        if (active.windowSizeMs !== draft.windowSizeMs && lastWindowEnd > now().getTime()) {
          return { kind: 'window-size-in-use', lastWindowEnd: new Date(lastWindowEnd) };
        }
      }
      const config = { ...draft, version: (active?.version ?? 0) + 1 };
      configs.set(draft.configName, config);
      return { kind: 'activated', config };
    },
  };
}

function placeInWindow(
  config: RateConfig,
  request: SlotRequest,
  window: { readonly start: number; readonly numbers: ReadonlySet<number> },
): Slot | undefined {
  const requested = request.requestedTime.getTime();
  const elapsed = Math.max(0, requested - window.start);
  const limit = proportionalCapacity(config.maxPerWindow, config.windowSizeMs, elapsed);
  if (window.numbers.size >= limit) return undefined;
  const spread = createSpread(config.maxPerWindow, config.version);
  for (let slotNo = 0; slotNo < config.maxPerWindow; slotNo += 1) {
    if (window.numbers.has(slotNo)) continue;
    const scheduled = window.start + slotOffset(spread, config.windowSizeMs, slotNo);
    if (scheduled < requested || scheduled > requested + config.maxDelayMs) continue;
    return {
      eventId: request.eventId,
      requestedTime: request.requestedTime,
      scheduledTime: new Date(scheduled),
      windowStart: new Date(window.start),
      slotNo,
    };
  }
  return undefined;
}

function lastTakenWindow(windows: ReadonlyMap<number, ReadonlySet<number>>): number {
  return Math.max(0, ...[...windows].filter(([, numbers]) => numbers.size > 0).map(([start]) => start));
}
