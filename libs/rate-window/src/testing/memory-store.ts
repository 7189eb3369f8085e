import { completeDraft } from '../drafts.js';
import { mergeRepeats } from '../merge-repeats.js';
import { hasAnySlot, isOpenBefore, windowCapacity } from '../open-time.js';
import type {
  RateConfig,
  RateConfigStore,
  Slot,
  SlotAnswer,
  SlotRequest,
  SlotStore,
  WindowFill,
} from '../ports.js';
import { alignToWindow } from '../window.js';
import { placeInWindow } from './place-in-window.js';

type Windows = Map<number, Set<number>>;

interface Memory {
  readonly configs: Map<string, RateConfig>;
  readonly slots: Map<string, Slot>;
  readonly windows: Map<string, Windows>;
}

/** What several nodes with clocks of their own share. */
export function createSharedMemory(): Memory {
  return { configs: new Map(), slots: new Map(), windows: new Map() };
}

/**
 * The rules of slot assignment written as plainly as they can be: every event walks over every window and takes the
 * lowest free number. It is the yardstick for the databases and a store for tests that need no database.
 */
export function createMemoryStore(
  clock = { now: () => new Date() },
  { configs, slots, windows } = createSharedMemory(),
): SlotStore & RateConfigStore {
  const keyOf = (configName: string, eventId: string): string => JSON.stringify([configName, eventId]);
  const windowsOf = (configName: string): Windows => {
    const found = windows.get(configName) ?? new Map<number, Set<number>>();
    windows.set(configName, found);
    return found;
  };
  const used = (configName: string): number[] =>
    [...windowsOf(configName)]
      .flatMap(([start, numbers]) => (numbers.size > 0 ? [start] : []))
      .sort((a, b) => a - b);
  const fillOf = (config: RateConfig, windowStart: number): WindowFill => ({
    windowStart: new Date(windowStart),
    windowEnd: new Date(windowStart + config.windowSizeMs),
    taken: windowsOf(config.configName).get(windowStart)?.size ?? 0,
    capacity: windowCapacity(config, windowStart),
  });
  const remove = (configName: string, slot: Slot): void => {
    slots.delete(keyOf(configName, slot.eventId));
    windowsOf(configName).get(slot.windowStart.getTime())?.delete(slot.slotNo);
  };

  const assignOne = (
    config: RateConfig,
    request: SlotRequest,
    from: number,
  ): SlotAnswer & { searched: number } => {
    const { eventId } = request;
    const existing = slots.get(keyOf(config.configName, eventId));
    if (existing !== undefined) return { kind: 'existing', slot: existing, searched: 0 };
    const horizon = from + config.maxDelayMs;
    let searched = 0;
    for (
      let start = alignToWindow(from, config.windowSizeMs);
      start <= horizon;
      start += config.windowSizeMs
    ) {
      searched += 1;
      const numbers = windowsOf(config.configName).get(start) ?? new Set<number>();
      const slot = placeInWindow(config, request, { start, numbers, from, horizon });
      if (slot === undefined) continue;
      windowsOf(config.configName).set(start, numbers.add(slot.slotNo));
      slots.set(keyOf(config.configName, eventId), slot);
      return { kind: 'assigned', slot, searched };
    }
    const kind = isOpenBefore(config, horizon) ? 'exhausted' : 'closed';
    return { kind, eventId, horizon: new Date(horizon), searched };
  };

  return {
    async assign(config, requests) {
      const active = configs.get(config.configName);
      if (active?.version !== config.version) return { kind: 'config-changed' };
      const { distinct, restore } = mergeRepeats(requests);
      const now = clock.now().getTime();
      const inOrder = distinct
        .map((request, place) => ({ request, place, from: Math.max(request.requestedTime.getTime(), now) }))
        .sort((a, b) => a.from - b.from || a.place - b.place);
      const answers: SlotAnswer[] = [];
      let windowsSearched = 0;
      for (const { request, place, from } of inOrder) {
        const { searched, ...answer } = assignOne(active, request, from);
        answers[place] = answer;
        windowsSearched += searched;
      }
      return { kind: 'answered', answers: restore(answers), windowsSearched };
    },

    async find(configName, eventId) {
      return slots.get(keyOf(configName, eventId));
    },

    async release(configName, eventId) {
      const slot = slots.get(keyOf(configName, eventId));
      if (slot === undefined) return { kind: 'not-found' };
      if (slot.scheduledTime <= clock.now()) return { kind: 'past', slot };
      remove(configName, slot);
      return { kind: 'released', slot };
    },

    async listWindows(config, { from, until, limit }) {
      const found = used(config.configName).filter(
        (start) => start >= from.getTime() && start < until.getTime(),
      );
      const next = found[limit];
      return {
        windows: found.slice(0, limit).map((start) => fillOf(config, start)),
        next: next === undefined ? null : new Date(next),
      };
    },

    async measure(config) {
      const now = clock.now();
      const current = alignToWindow(now.getTime(), config.windowSizeMs);
      const last = used(config.configName).at(-1);
      const furthestWindow = last === undefined || last < current ? null : new Date(last);
      return { now, currentWindow: fillOf(config, current), furthestWindow };
    },

    async prune({ configName, minAgeMs, limit }) {
      const size = configs.get(configName)?.windowSizeMs ?? 0;
      const cutoff = clock.now().getTime() - minAgeMs - size;
      const old = [...slots]
        .filter(
          ([key, slot]) => key === keyOf(configName, slot.eventId) && slot.windowStart.getTime() <= cutoff,
        )
        .map(([, slot]) => slot)
        .sort((a, b) => a.windowStart.getTime() - b.windowStart.getTime() || a.slotNo - b.slotNo)
        .slice(0, limit);
      const before = used(configName).length;
      for (const slot of old) remove(configName, slot);
      const emptied = before - used(configName).length;
      return { slots: old.length, windows: emptied, more: old.length === limit };
    },

    async findActive(configName) {
      return configs.get(configName);
    },

    async listActive() {
      return [...configs.values()].sort((a, b) => (a.configName < b.configName ? -1 : 1));
    },

    async activate(stated, _changedBy) {
      const draft = completeDraft(stated);
      const active = configs.get(draft.configName);
      const now = clock.now().getTime();
      if (active !== undefined && JSON.stringify({ ...active, ...draft }) === JSON.stringify(active)) {
        return { kind: 'unchanged', config: active };
      }
      if (!hasAnySlot(draft, now)) return { kind: 'never-open', horizon: new Date(now + draft.maxDelayMs) };
      const last = used(draft.configName).at(-1);
      if (active !== undefined && active.windowSizeMs !== draft.windowSizeMs && last !== undefined) {
        const lastWindowEnd = last + active.windowSizeMs;
        if (lastWindowEnd > now)
          return { kind: 'window-size-in-use', lastWindowEnd: new Date(lastWindowEnd) };
      }
      const config = { ...draft, version: (active?.version ?? 0) + 1 };
      configs.set(draft.configName, config);
      return { kind: 'activated', config };
    },
  };
}
