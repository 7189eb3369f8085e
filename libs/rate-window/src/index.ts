/**
 * Time slots under a rate limit: at most so many events a window, each event one slot, never before the time it asked for.
 *
 * @example
 * const configs = createPgRateConfigStore(pool);
 * const slots = createPgSlotStore(pool);
 * await configs.activate({ configName: 'payments', maxPerWindow: 100, windowSizeMs: 4_000, maxDelayMs: 86_400_000 }, 'ops');
 * const config = await configs.findActive('payments');
 * if (config !== undefined) {
 *   const outcome = await slots.assign(config, [{ eventId: 'pay-1', requestedTime: new Date('2030-01-01T16:00:00Z') }]);
 *   // { kind: 'answered', answers: [{ kind: 'assigned', slot: { scheduledTime: 2030-01-01T16:00:00.000Z, … } }] }
 * }
 */
export { createOracleRateConfigStore } from './adapters/oracle-config-store.js';
export type { OraclePool } from './adapters/oracle-driver.js';
export { createOracleSlotStore } from './adapters/oracle-slot-store.js';
export type { OracleOptions } from './adapters/oracle-statements.js';
export { createPgRateConfigStore } from './adapters/pg-config-store.js';
export type { Queryable } from './adapters/pg-queryable.js';
export { createPgSlotStore } from './adapters/pg-slot-store.js';
export type { StoreOptions } from './adapters/store-options.js';
export { WEEKDAYS, calendarRules } from './calendar-rules.js';
export type { CalendarRules, LocalSpan, Weekday } from './calendar-rules.js';
export { formatDuration, parseDuration } from './duration.js';
export { SlotStoreRefusedError, SlotStoreUnavailableError } from './errors.js';
export { EARLIEST_INSTANT, LATEST_INSTANT, parseInstant } from './instant.js';
export {
  DEFAULT_MAX_DELAY_MS,
  GROUP_LIMIT,
  MAX_DELAY_LIMIT_MS,
  MAX_PER_WINDOW_LIMIT,
  WINDOW_SIZE_LIMIT_MS,
} from './limits.js';
export { rateWindowMigrations } from './migrations.js';
export type {
  ActivateOutcome,
  AssignOutcome,
  RateConfig,
  RateConfigDraft,
  RateConfigStore,
  ReleaseOutcome,
  Slot,
  SlotAnswer,
  SlotLoad,
  SlotRequest,
  SlotStore,
  SpreadKind,
  WindowFill,
  WindowPage,
} from './ports.js';
