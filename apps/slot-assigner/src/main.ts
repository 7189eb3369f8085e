import { runService } from '@sluice/service-kit';
import { createApi, createKeyRing } from '@sluice/service-kit/http';
import { connectSlotStore } from './adapters/slot-store.js';
import { cacheConfigs } from './cache-configs.js';
import { environment, storeAddress } from './config.js';
import { createHeedNotice } from './flush-configs.js';
import { createRoutes } from './http/routes.js';
import { createMetrics } from './metrics.js';
import { standingWorkers } from './standing-workers.js';

const name = 'slot-assigner';
// A batch of 1,000 events with the longest ids fits.
const bodyLimitBytes = 512 * 1024;

void runService({
  name,
  environment,
  compose({ config, log, registry }) {
    const metrics = createMetrics(registry);
    const store = connectSlotStore(storeAddress(config), log);
    const configs = cacheConfigs({
      configs: store.configs,
      ttlMs: config.SLUICE_CONFIG_CACHE_SECONDS,
      now: () => performance.now(),
      observer: metrics,
    });
    const routes = createRoutes({
      ...{ configs, store, observer: metrics, log },
      defaultConfig: config.SLUICE_DEFAULT_CONFIG,
      limits: {
        events: config.SLUICE_QUEUE_LIMIT,
        eventsOfCaller: config.SLUICE_CALLER_QUEUE_LIMIT,
        waitMs: config.SLUICE_QUEUE_WAIT_SECONDS,
      },
    });
    const keys = createKeyRing(config.SLUICE_API_KEYS, config.SLUICE_ENV);
    const standing = { ...store, onMeasured: metrics.measured, onRemoved: metrics.removed, log };
    return {
      api: {
        listener: createApi({ name, log, registry, keys, bodyLimitBytes, routes }),
        port: config.SLUICE_HTTP_PORT,
      },
      workers: [...store.listen(createHeedNotice(configs, metrics)), ...standingWorkers(standing, config)],
      dependencies: [store.dependency],
      startChecks: [store.startCheck],
      close: store.close,
    };
  },
});
