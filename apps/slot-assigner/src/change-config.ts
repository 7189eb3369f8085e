import { DEFAULT_MAX_DELAY_MS } from '@sluice/rate-window';
import type { ActivateOutcome, RateConfigDraft } from '@sluice/rate-window';
import type { ActiveConfigs, Announcements, RateConfig, RateConfigStore } from './ports.js';

type LeftOut = 'maxDelayMs' | 'spread' | 'calendar';

/** A rate limit as an operator states it; what is left out stays as it is. */
export type ConfigChange = Omit<RateConfigDraft, LeftOut> & {
  readonly [K in LeftOut]?: RateConfig[K] | undefined;
};

interface Parts {
  readonly store: Pick<RateConfigStore, 'findActive' | 'activate'>;
  readonly configs: Pick<ActiveConfigs, 'forget'>;
  readonly announcements: Announcements;
  readonly onUnannounced: (configName: string, error: unknown) => void;
}

export type ChangeConfig = (change: ConfigChange, changedBy: string) => Promise<ActivateOutcome>;

/** Makes the change the active version and tells all nodes. */
export function createChangeConfig({ store, configs, announcements, onUnannounced }: Parts): ChangeConfig {
  return async (change, changedBy) => {
    const { configName } = change;
    const outcome = await store.activate(completed(change, await store.findActive(configName)), changedBy);
    configs.forget(configName);
    if (outcome.kind === 'activated') {
      // The change is made, whether the others have heard of it or not: they notice at their next assignment.
      await announcements
        .announce({ kind: 'changed', configName })
        .catch((error: unknown) => onUnannounced(configName, error));
    }
    return outcome;
  };
}

function completed(change: ConfigChange, active: RateConfig | undefined): RateConfigDraft {
  const { configName, maxPerWindow, windowSizeMs } = change;
  return {
    ...{ configName, maxPerWindow, windowSizeMs },
    maxDelayMs: change.maxDelayMs ?? active?.maxDelayMs ?? DEFAULT_MAX_DELAY_MS,
    spread: change.spread ?? active?.spread ?? 'even',
    calendar: change.calendar === undefined ? (active?.calendar ?? null) : change.calendar,
  };
}
