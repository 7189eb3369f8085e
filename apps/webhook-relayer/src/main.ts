import { outboxMigrations } from '@sluice/outbox';
import { runService } from '@sluice/service-kit';
import { createApi, createKeyRing } from '@sluice/service-kit/http';
import { pgSchemaCheck } from '@sluice/service-kit/migrations';
import { topicsCheck } from './adapters/kafka-client.js';
import { environment } from './config.js';
import { connect } from './connections.js';
import { createDeliveryParts } from './delivery-parts.js';
import { createRoutes } from './http/routes.js';
import { createMetrics } from './metrics.js';
import { webhookMigrations } from './migrations.js';
import { createUseCases } from './use-cases.js';
import { createWorkers } from './workers.js';

const name = 'webhook-relayer';

void runService({
  name,
  environment,
  compose({ config, log, registry }) {
    const metrics = createMetrics(registry);
    const outside = connect({ config, log, metrics });
    const topics = {
      topic: config.SLUICE_EVENTS_TOPIC,
      deadLetterTopic: `${config.SLUICE_EVENTS_TOPIC}.dlq`,
    };
    const delivery = createDeliveryParts({ config, outside, topics, metrics, log });
    const useCases = createUseCases({ ...outside, topics, onDeliveries: () => delivery.engine.wake() });
    const keys = createKeyRing(config.SLUICE_API_KEYS, config.SLUICE_ENV);
    return {
      api: {
        listener: createApi({ name, log, registry, keys, routes: createRoutes(useCases) }),
        port: config.SLUICE_HTTP_PORT,
      },
      workers: createWorkers({ config, outside, delivery, metrics, log }),
      dependencies: outside.dependencies,
      startChecks: [
        pgSchemaCheck(outside.pool, [outboxMigrations, webhookMigrations]),
        topicsCheck(outside.kafka, { ...topics, partitions: config.SLUICE_EVENTS_PARTITIONS }),
      ],
      flush: [outside.sink, delivery.tally.flush],
      close: outside.close,
    };
  },
});
