import { completeDraft } from '../drafts.js';
import { hasAnySlot } from '../open-time.js';
import type { RateConfigStore } from '../ports.js';
import { goldenStride } from '../spread.js';
import { configRow, readActivation } from './config-rows.js';
import { loadStatement, runStatement } from './pg-queryable.js';
import type { Queryable } from './pg-queryable.js';
import { localPresentOf, presentOf } from './store-options.js';
import type { StoreOptions } from './store-options.js';

/** Versions of rate limits in PostgreSQL. */
export function createPgRateConfigStore(db: Queryable, options: StoreOptions = {}): RateConfigStore {
  const findActiveConfig = loadStatement('find_active_config');
  const listActiveConfigs = loadStatement('list_active_configs');
  const activateConfig = loadStatement('activate_config');

  return {
    async findActive(configName) {
      const [row] = await runStatement(db, findActiveConfig, [configName]);
      return row === undefined ? undefined : configRow.parse(row);
    },

    async listActive() {
      const rows = await runStatement(db, listActiveConfigs, []);
      return rows.map((row) => configRow.parse(row));
    },

    async activate(stated, changedBy) {
      const draft = completeDraft(stated);
      const now = localPresentOf(options);
      if (!hasAnySlot(draft, now)) return { kind: 'never-open', horizon: new Date(now + draft.maxDelayMs) };
      const [row] = await runStatement(db, activateConfig, [
        draft.configName,
        draft.maxPerWindow,
        draft.windowSizeMs,
        draft.maxDelayMs,
        draft.spread,
        goldenStride(draft.maxPerWindow),
        draft.calendar === null ? null : JSON.stringify(draft.calendar),
        changedBy,
        presentOf(options),
      ]);
      return readActivation(draft, row);
    },
  };
}
