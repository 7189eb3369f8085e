import { reasonOf, type Reason } from '../reason.js';
import type { EnrichedPayment } from './enrich-request.js';

/** Looks at one payment and says why it may not go on, or nothing. Pure: what it needs to know, it is given. */
export type PaymentRule = (payment: EnrichedPayment) => Reason | undefined;

/** The first objection; rules are asked in order. A rule that throws is an objection too: money does not move on a guess. */
export function applyRules(
  payment: EnrichedPayment,
  rules: readonly PaymentRule[],
  onFailure: (rule: string, error: unknown) => void = () => undefined,
): Reason | undefined {
  for (const rule of rules) {
    try {
      const objection = rule(payment);
      if (objection !== undefined) return objection;
    } catch (error) {
      onFailure(rule.name, error);
      return reasonOf('RULE_FAILED', `the rule ${rule.name || 'without a name'} could not be applied`);
    }
  }
  return undefined;
}
