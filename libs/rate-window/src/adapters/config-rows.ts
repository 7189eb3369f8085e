// Versions of configs as both databases answer them.
import { z } from 'zod';
import { calendarRules } from '../calendar-rules.js';
import type { ActivateOutcome, RateConfig } from '../ports.js';
import { milliseconds } from './slot-rows.js';

export const configRow = z
  .object({
    config_name: z.string(),
    version: z.number(),
    max_per_window: z.number(),
    window_size_ms: z.coerce.number(),
    max_delay_ms: z.coerce.number(),
    spread: z.enum(['even', 'random']),
    calendar: calendarRules.nullable(),
  })
  .transform((row): RateConfig => ({
    configName: row.config_name,
    version: row.version,
    maxPerWindow: row.max_per_window,
    windowSizeMs: row.window_size_ms,
    maxDelayMs: row.max_delay_ms,
    spread: row.spread,
    calendar: row.calendar,
  }));

const activatedRow = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.enum(['activated', 'unchanged']), active_version: z.number() }),
  z.object({ outcome: z.literal('window_size_in_use'), last_window_end_ms: milliseconds }),
]);

export function readActivation(draft: Omit<RateConfig, 'version'>, row: unknown): ActivateOutcome {
  const parsed = activatedRow.parse(row);
  if (parsed.outcome === 'window_size_in_use') {
    return { kind: 'window-size-in-use', lastWindowEnd: parsed.last_window_end_ms };
  }
  return { kind: parsed.outcome, config: { ...draft, version: parsed.active_version } };
}
