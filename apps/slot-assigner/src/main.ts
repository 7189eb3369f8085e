import { createPgRateConfigStore, createPgSlotStore, rateWindowMigrations } from '@sluice/rate-window';
import { runService } from '@sluice/service-kit';
import { createApi, createKeyRing } from '@sluice/service-kit/http';
import { pgSchemaCheck } from '@sluice/service-kit/migrations';
import { connectPg, pgDependency } from '@sluice/service-kit/pg';
import { cacheConfigs } from './cache-configs.js';
import { environment } from './config.js';
import { createRoutes } from './http/routes.js';
import { createMetrics } from './metrics.js';

const name = 'slot-assigner';
// A batch of 1,000 events with the longest ids fits.
const bodyLimitBytes = 512 * 1024;

void runService({
  name,
  environment,
  compose({ config, log, registry }) {
    const observer = createMetrics(registry);
    const pool = connectPg({ url: config.PG_URL, applicationName: name, statementTimeoutMs: 10_000, log });
    const store = createPgRateConfigStore(pool);
    const configs = cacheConfigs({
      configs: store,
      ttlMs: config.SLUICE_CONFIG_CACHE_SECONDS,
      now: () => performance.now(),
      observer,
    });
    const routes = createRoutes({
      slots: createPgSlotStore(pool),
      store,
      configs,
      queueLimit: config.SLUICE_QUEUE_LIMIT,
      observer,
    });
    const keys = createKeyRing(config.SLUICE_API_KEYS, config.SLUICE_ENV);
    return {
      api: {
        listener: createApi({ name, log, registry, keys, bodyLimitBytes, routes }),
        port: config.SLUICE_HTTP_PORT,
      },
      workers: [],
      dependencies: [pgDependency(pool)],
      startChecks: [pgSchemaCheck(pool, [rateWindowMigrations])],
      close: [{ name: 'postgres', close: () => pool.end() }],
    };
  },
});
