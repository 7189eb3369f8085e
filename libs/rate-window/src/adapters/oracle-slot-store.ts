import type { BindParameter } from 'oracledb';
import { z } from 'zod';
import { drawFor } from '../draw.js';
import { mergeRepeats } from '../merge-repeats.js';
import { openTimeFor } from '../open-time.js';
import type { RateConfig, SlotRequest, SlotStore } from '../ports.js';
import { createBinds } from './oracle-binds.js';
import type { Binds } from './oracle-binds.js';
import { loadOracleDriver } from './oracle-driver.js';
import type { OraclePool } from './oracle-driver.js';
import { createStatements } from './oracle-statements.js';
import type { OracleOptions, OracleStatements } from './oracle-statements.js';
import { readAnswers, readLoad, readRelease, readSlot, readWindows } from './slot-rows.js';
import { localPresentOf, presentOf } from './store-options.js';
import type { StoreOptions } from './store-options.js';

const numbers = z.array(z.number().nullish()).nullish();

const assignedLists = z.object({
  outcome: z.string(),
  searched: z.number().nullish(),
  outcomes: z.array(z.string().nullish()).nullish(),
  first_requested: numbers,
  scheduled: numbers,
  windows: numbers,
  numbers: numbers,
});

const prunedCounts = z.object({ slots: z.number(), windows: z.number() });

/** Slots in Oracle 19c or later, by `oracledb` in thin mode. Every call is one round trip. */
export function createOracleSlotStore(
  pool: OraclePool,
  options: StoreOptions & OracleOptions = {},
): SlotStore {
  const driver = loadOracleDriver();
  const binds = createBinds(driver);
  const statements = createStatements(pool, driver, options);
  const present = () => binds.number(presentOf(options));

  return {
    async assign(config, requests) {
      if (requests.length === 0) return { kind: 'answered', answers: [], windowsSearched: 0 };
      const { distinct, restore } = mergeRepeats(requests);
      const given = assignBinds(binds, config, { requests: distinct, options });
      const rows = toRows(await statements.call('assign_slots', { ...given, now_ms: present() }));
      const outcome = readAnswers(config, distinct, rows);
      return outcome.kind === 'answered' ? { ...outcome, answers: restore(outcome.answers) } : outcome;
    },

    async find(configName, eventId) {
      const key = { config_name: binds.text(configName), event_id: binds.text(eventId) };
      const [row] = await statements.query('find_slot', key);
      return readSlot(row, eventId);
    },

    async release(configName, eventId) {
      const row = await statements.call('release_slot', {
        config_name: binds.text(configName),
        event_id: binds.text(eventId),
        now_ms: present(),
        outcome: binds.outWord(),
        requested_ms: binds.outNumber(),
        scheduled_ms: binds.outNumber(),
        window_ms: binds.outNumber(),
        slot_no: binds.outNumber(),
      });
      return readRelease(row, eventId);
    },

    ...createViews(statements, binds, present),
  };
}

/** What is seen of windows, and their retention. */
function createViews(
  statements: OracleStatements,
  binds: Binds,
  present: () => BindParameter,
): Pick<SlotStore, 'listWindows' | 'measure' | 'prune'> {
  return {
    async listWindows(config, { from, until, limit }) {
      const range = {
        config_name: binds.text(config.configName),
        from_ms: binds.number(from.getTime()),
        until_ms: binds.number(until.getTime()),
        // One more than asked for tells whether there is another page.
        max_rows: binds.number(limit + 1),
      };
      return readWindows(config, await statements.query('list_windows', range, limit + 1), limit);
    },

    async measure(config) {
      const row = await statements.call('measure_load', {
        config_name: binds.text(config.configName),
        window_size_ms: binds.number(config.windowSizeMs),
        at_ms: present(),
        now_ms: binds.outNumber(),
        current_ms: binds.outNumber(),
        taken: binds.outNumber(),
        furthest_ms: binds.outNumber(),
      });
      return readLoad(config, row);
    },

    async prune({ configName, minAgeMs, limit }) {
      const row = await statements.call('prune_slots', {
        config_name: binds.text(configName),
        min_age_ms: binds.number(minAgeMs),
        max_slots: binds.number(limit),
        now_ms: present(),
        slots: binds.outNumber(),
        windows: binds.outNumber(),
      });
      const { slots, windows } = prunedCounts.parse(row);
      return { slots, windows, more: slots === limit || windows === limit };
    },
  };
}

function assignBinds(
  binds: Binds,
  config: RateConfig,
  { requests, options }: { requests: readonly SlotRequest[]; options: StoreOptions },
) {
  const times = requests.map(({ requestedTime }) => requestedTime.getTime());
  const open = openTimeFor(config, times, localPresentOf(options));
  const draws =
    config.spread === 'random' ? requests.map(({ eventId }) => drawFor(config.configName, eventId)) : [];
  return {
    config_name: binds.text(config.configName),
    version: binds.number(config.version),
    event_ids: binds.texts(requests.map(({ eventId }) => eventId)),
    requested: binds.numbers(times),
    draws: binds.numbers(draws),
    always_open: binds.number(open === null ? 1 : 0),
    // A calendar without open time is one empty span.
    open_from: binds.numbers((open ?? []).map(({ from }) => from)),
    open_until: binds.numbers((open ?? []).map(({ until }) => until)),
    outcome: binds.outWord(),
    searched: binds.outNumber(),
    outcomes: binds.outWords(requests.length),
    first_requested: binds.outNumbers(requests.length),
    scheduled: binds.outNumbers(requests.length),
    windows: binds.outNumbers(requests.length),
    numbers: binds.outNumbers(requests.length),
  };
}

/** The lists as rows of the shape that PostgreSQL answers. */
function toRows(outBinds: unknown): unknown[] {
  const lists = assignedLists.parse(outBinds);
  if (lists.outcome === 'config_changed') return [{ outcome: lists.outcome }];
  const rows = (lists.outcomes ?? []).map((outcome, index) => ({
    outcome,
    place: index + 1,
    requested_ms: lists.first_requested?.[index],
    scheduled_ms: lists.scheduled?.[index],
    window_ms: lists.windows?.[index],
    slot_no: lists.numbers?.[index],
  }));
  return [...rows, { outcome: 'searched', slot_no: lists.searched ?? 0 }];
}
