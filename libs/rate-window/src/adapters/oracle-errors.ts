import { SlotStoreRefusedError, SlotStoreUnavailableError } from '../errors.js';

/**
 * Errors that say that the values themselves break a rule: a constraint, a column that is too narrow, no value where one is
 * needed, a number or text that cannot be stored. All else (locks, sessions, space, the network) may pass.
 */
const refusals = new Set([
  'ORA-00001',
  'ORA-01400',
  'ORA-01407',
  'ORA-01438',
  'ORA-01722',
  'ORA-02290',
  'ORA-06502',
  'ORA-12899',
]);

/** Errors of the statements or the set-up, which no repetition heals and no caller caused; they stay as they are. */
const OWN_FAULT = /^(?:ORA-(?:009\d\d|04063|06550|06553|65\d\d)|NJS-0\d\d|NJS-1[01]\d)$/;
const poolErrors = new Set(['NJS-040', 'NJS-064', 'NJS-065', 'NJS-076']);

export function toStoreError(cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (typeof code !== 'string') return new SlotStoreUnavailableError(cause);
  if (refusals.has(code)) return new SlotStoreRefusedError(cause);
  if (OWN_FAULT.test(code) && !poolErrors.has(code)) return cause;
  return new SlotStoreUnavailableError(cause);
}
