import type { ActiveConfigs, Observer, RateConfig, RateConfigStore } from './ports.js';

interface Options {
  readonly configs: Pick<RateConfigStore, 'findActive'>;
  readonly ttlMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly observer: Pick<Observer, 'configLookedUp'>;
}

interface Entry {
  readonly until: number;
  readonly config: Promise<RateConfig | undefined>;
}

/**
 * Remembers rate limits for a short time. Lookups of one name at the same time share one query. Names that do not
 * exist and failed queries are not remembered, so that the memory holds no more entries than there are configs.
 */
export function cacheConfigs({ configs, ttlMs, now, observer }: Options): ActiveConfigs {
  const entries = new Map<string, Entry>();

  const load = (configName: string): Promise<RateConfig | undefined> => {
    const entry = { until: now() + ttlMs, config: configs.findActive(configName) };
    entries.set(configName, entry);
    const forgetThis = (): void => {
      if (entries.get(configName) === entry) entries.delete(configName);
    };
    entry.config.then((config) => {
      if (config === undefined) forgetThis();
    }, forgetThis);
    return entry.config;
  };

  return {
    find(configName) {
      const entry = entries.get(configName);
      const remembered = entry !== undefined && now() < entry.until;
      observer.configLookedUp(remembered ? 'hit' : 'miss');
      return remembered ? entry.config : load(configName);
    },
    // A query that is under way is forgotten too: it may have read what was true before.
    forget(configName) {
      entries.delete(configName);
    },
    forgetAll() {
      const { size } = entries;
      entries.clear();
      return size;
    },
  };
}
