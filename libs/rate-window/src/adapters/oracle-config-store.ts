import { completeDraft } from '../drafts.js';
import { hasAnySlot } from '../open-time.js';
import type { RateConfig, RateConfigStore } from '../ports.js';
import { goldenStride } from '../spread.js';
import { configRow, readActivation } from './config-rows.js';
import { createBinds } from './oracle-binds.js';
import { loadOracleDriver } from './oracle-driver.js';
import type { OraclePool } from './oracle-driver.js';
import { createStatements } from './oracle-statements.js';
import type { OracleOptions } from './oracle-statements.js';
import { localPresentOf, presentOf } from './store-options.js';
import type { StoreOptions } from './store-options.js';

/** Versions of rate limits in Oracle 19c or later, by `oracledb` in thin mode. */
export function createOracleRateConfigStore(
  pool: OraclePool,
  options: StoreOptions & OracleOptions = {},
): RateConfigStore {
  const driver = loadOracleDriver();
  const binds = createBinds(driver);
  const statements = createStatements(pool, driver, options);

  return {
    async findActive(configName) {
      const [row] = await statements.query('find_active_config', { config_name: binds.text(configName) });
      return row === undefined ? undefined : readConfig(row);
    },

    async listActive() {
      return (await statements.query('list_active_configs', {})).map(readConfig);
    },

    async activate(stated, changedBy) {
      const draft = completeDraft(stated);
      const now = localPresentOf(options);
      if (!hasAnySlot(draft, now)) return { kind: 'never-open', horizon: new Date(now + draft.maxDelayMs) };
      const row = await statements.call('activate_config', {
        config_name: binds.text(draft.configName),
        max_per_window: binds.number(draft.maxPerWindow),
        window_size_ms: binds.number(draft.windowSizeMs),
        max_delay_ms: binds.number(draft.maxDelayMs),
        spread: binds.text(draft.spread),
        spread_stride: binds.number(goldenStride(draft.maxPerWindow)),
        calendar: binds.text(draft.calendar === null ? null : sortedJson(draft.calendar)),
        changed_by: binds.text(changedBy),
        now_ms: binds.number(presentOf(options)),
        outcome: binds.outWord(),
        active_version: binds.outNumber(),
        last_window_end_ms: binds.outNumber(),
      });
      return readActivation(draft, row);
    },
  };
}

function readConfig(row: unknown): RateConfig {
  const { calendar, ...columns } = row as { calendar: string | null };
  return configRow.parse({
    ...columns,
    calendar: calendar === null ? null : (JSON.parse(calendar) as unknown),
  });
}

/** JSON whose keys are in order, since texts are compared to tell whether a calendar changed. */
function sortedJson(value: object): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
