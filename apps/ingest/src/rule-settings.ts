import type { RuleSettings } from '@sluice/payments';
import { loadOwnRules } from './adapters/own-rules.js';
import type { Config } from './config.js';

/** What the rules go by, out of the environment and the company's own file. */
export function ruleSettings(config: Config): RuleSettings {
  return {
    calendars: config.SLUICE_RAIL_CALENDARS,
    blockedCountries: new Set(config.SLUICE_BLOCKED_COUNTRIES),
    ownRules: loadOwnRules(config.SLUICE_RULES_MODULE),
  };
}
