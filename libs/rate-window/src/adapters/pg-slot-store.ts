import { z } from 'zod';
import { drawFor } from '../draw.js';
import { mergeRepeats } from '../merge-repeats.js';
import { openTimeFor } from '../open-time.js';
import type { RateConfig, SlotRequest, SlotStore } from '../ports.js';
import type { Span } from '../spans.js';
import { loadStatement, runStatement } from './pg-queryable.js';
import type { Queryable } from './pg-queryable.js';
import { readAnswers, readLoad, readRelease, readSlot, readWindows } from './slot-rows.js';
import { localPresentOf, presentOf } from './store-options.js';
import type { StoreOptions } from './store-options.js';

const prunedRow = z.object({ slots: z.number(), windows: z.number(), has_more: z.boolean() });

/** Slots in PostgreSQL. A pool lets groups of different configs be placed at the same time. */
export function createPgSlotStore(db: Queryable, options: StoreOptions = {}): SlotStore {
  const assignSlots = loadStatement('assign_slots');
  const findSlot = loadStatement('find_slot');
  const releaseSlot = loadStatement('release_slot');
  const listWindows = loadStatement('list_windows');
  const measureLoad = loadStatement('measure_load');
  const pruneSlots = loadStatement('prune_slots');

  return {
    async assign(config, requests) {
      if (requests.length === 0) return { kind: 'answered', answers: [], windowsSearched: 0 };
      const { distinct, restore } = mergeRepeats(requests);
      const rows = await runStatement(db, assignSlots, assignParameters(config, distinct, options));
      const outcome = readAnswers(config, distinct, rows);
      return outcome.kind === 'answered' ? { ...outcome, answers: restore(outcome.answers) } : outcome;
    },

    async find(configName, eventId) {
      const [row] = await runStatement(db, findSlot, [configName, eventId]);
      return readSlot(row, eventId);
    },

    async release(configName, eventId) {
      const [row] = await runStatement(db, releaseSlot, [configName, eventId, presentOf(options)]);
      return readRelease(row, eventId);
    },

    async listWindows(config, { from, until, limit }) {
      // One more than asked for tells whether there is another page.
      const range = [config.configName, from, until, limit + 1];
      return readWindows(config, await runStatement(db, listWindows, range), limit);
    },

    async measure(config) {
      const values = [config.configName, config.windowSizeMs, presentOf(options)];
      const [row] = await runStatement(db, measureLoad, values);
      return readLoad(config, row);
    },

    async prune({ configName, minAgeMs, limit }) {
      const values = [configName, minAgeMs, limit, presentOf(options)];
      const [row] = await runStatement(db, pruneSlots, values);
      const { slots, windows, has_more: more } = prunedRow.parse(row);
      return { slots, windows, more };
    },
  };
}

function assignParameters(
  config: RateConfig,
  requests: readonly SlotRequest[],
  options: StoreOptions,
): unknown[] {
  const times = requests.map(({ requestedTime }) => requestedTime.getTime());
  const open = openTimeFor(config, times, localPresentOf(options));
  return [
    config.configName,
    config.version,
    requests.map(({ eventId }) => eventId),
    times,
    config.spread === 'random' ? requests.map(({ eventId }) => drawFor(config.configName, eventId)) : null,
    open === null ? null : toMultirange(open),
    presentOf(options),
  ];
}

function toMultirange(spans: readonly Span[]): string {
  return `{${spans.map(({ from, until }) => `[${from},${until})`).join(',')}}`;
}
