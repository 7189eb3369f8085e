import { createMemoryStore } from '@sluice/rate-window/testing';
import { createLogger } from '@sluice/service-kit';
import { standingWorkers } from './standing-workers.js';

const store = createMemoryStore();
const parts = {
  ...{ configs: store, slots: store, onMeasured: () => undefined, onRemoved: () => undefined },
  log: createLogger({ service: 'test', level: 'fatal' }),
};

describe('what runs beside the assigning', () => {
  it.each([
    [true, ['window-gauges', 'retention']],
    [false, ['window-gauges']],
  ])('with retention %s: %j', (SLUICE_RETENTION, names) => {
    const workers = standingWorkers(parts, {
      SLUICE_RETENTION,
      SLUICE_RETENTION_HOURS: 1,
      SLUICE_RETENTION_BATCH_SIZE: 100,
    });
    expect(workers.map(({ name }) => name)).toEqual(names);
  });
});
