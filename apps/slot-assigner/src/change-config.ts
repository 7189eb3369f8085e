import { DEFAULT_MAX_DELAY_MS } from '@sluice/rate-window';
import type { ActivateOutcome, RateConfigDraft } from '@sluice/rate-window';
import type { ActiveConfigs, RateConfigStore } from './ports.js';

/** A rate limit as an operator states it; a horizon that is left out stays as it is. */
export type ConfigChange = Omit<RateConfigDraft, 'maxDelayMs'> & { readonly maxDelayMs?: number | undefined };

export type ChangeConfig = (change: ConfigChange, changedBy: string) => Promise<ActivateOutcome>;

/** Makes the change the active version. This node uses it at once, the others at their next assignment. */
export function createChangeConfig(store: RateConfigStore, configs: ActiveConfigs): ChangeConfig {
  return async (change, changedBy) => {
    const active = await store.findActive(change.configName);
    const maxDelayMs = change.maxDelayMs ?? active?.maxDelayMs ?? DEFAULT_MAX_DELAY_MS;
    const outcome = await store.activate({ ...change, maxDelayMs }, changedBy);
    configs.forget(change.configName);
    return outcome;
  };
}
