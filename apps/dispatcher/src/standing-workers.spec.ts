import { Registry } from 'prom-client';
import { createLogger } from '@sluice/service-kit';
import { createMetrics } from './metrics.js';
import { standingWorkers } from './standing-workers.js';

const never = () => Promise.reject(new Error('nothing happens before a worker runs'));

const namesWith = (isRetaining: boolean) =>
  standingWorkers(
    {
      queue: { listConfigs: never, measureDepth: never, purgeFinished: never, pruneAudit: never },
      schedules: { ensure: never },
      metrics: createMetrics(new Registry()),
      clock: { now: () => new Date(0) },
      log: createLogger({ service: 'test', level: 'fatal' }),
      schedulePrefix: 'dispatch-',
      taskQueue: 'dispatch-task-queue',
    },
    {
      SLUICE_RETENTION: isRetaining,
      SLUICE_RETENTION_FINISHED_HOURS: 1,
      SLUICE_RETENTION_AUDIT_DAYS: 1,
      SLUICE_RETENTION_BATCH_SIZE: 100,
    },
  ).map((worker) => worker.name);

describe('standingWorkers', () => {
  it('keep Schedules, gauges and the size of the tables', () => {
    expect(namesWith(true)).toEqual(['schedules', 'queue-gauges', 'retention']);
  });

  it('leave retention out when it is switched off', () => {
    expect(namesWith(false)).toEqual(['schedules', 'queue-gauges']);
  });
});
