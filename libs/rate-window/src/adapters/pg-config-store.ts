import { z } from 'zod';
import type { ActivateOutcome, RateConfig, RateConfigDraft, RateConfigStore } from '../ports.js';
import { goldenStride } from '../spread.js';
import { loadStatement, runStatement } from './pg-queryable.js';
import type { Queryable } from './pg-queryable.js';

const configRow = z
  .object({
    config_name: z.string(),
    version: z.number(),
    max_per_window: z.number(),
    window_size_ms: z.coerce.number(),
    max_delay_ms: z.coerce.number(),
  })
  .transform((row): RateConfig => ({
    configName: row.config_name,
    version: row.version,
    maxPerWindow: row.max_per_window,
    windowSizeMs: row.window_size_ms,
    maxDelayMs: row.max_delay_ms,
  }));

const activatedRow = z.union([
  z.object({ outcome: z.enum(['activated', 'unchanged']), active_version: z.number() }),
  z.object({
    outcome: z.literal('window_size_in_use'),
    active_version: z.number(),
    last_window_end_ms: z.coerce.number(),
  }),
]);

/** Versions of rate limits in PostgreSQL. */
export function createPgRateConfigStore(db: Queryable): RateConfigStore {
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

    async activate(draft, changedBy) {
      const [row] = await runStatement(db, activateConfig, [
        draft.configName,
        draft.maxPerWindow,
        draft.windowSizeMs,
        draft.maxDelayMs,
        goldenStride(draft.maxPerWindow),
        changedBy,
      ]);
      return toOutcome(draft, activatedRow.parse(row));
    },
  };
}

function toOutcome(draft: RateConfigDraft, row: z.infer<typeof activatedRow>): ActivateOutcome {
  const config = { ...draft, version: row.active_version };
  if (row.outcome !== 'window_size_in_use') return { kind: row.outcome, config };
  return { kind: 'window-size-in-use', lastWindowEnd: new Date(row.last_window_end_ms) };
}
