import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { PaymentRule } from '@sluice/payments';

/**
 * A company's own rules out of a file: a CommonJS module that exports `rules`, functions from a payment to a reason or to
 * nothing. Throws when it does not, so that the service does not start without rules that somebody relies on.
 */
export function loadOwnRules(path: string | undefined): readonly PaymentRule[] {
  if (path === undefined) return [];
  const loaded: unknown = createRequire(__filename)(resolve(path));
  const rules = typeof loaded === 'object' && loaded !== null && 'rules' in loaded ? loaded.rules : undefined;
  if (!Array.isArray(rules) || !rules.every((rule) => typeof rule === 'function')) {
    throw new Error(`SLUICE_RULES_MODULE ${path} does not export "rules", an array of functions`);
  }
  return rules as readonly PaymentRule[];
}
