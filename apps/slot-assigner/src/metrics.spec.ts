import { Registry } from 'prom-client';
import { createMetrics } from './metrics.js';

describe('metrics', () => {
  it('keep the names that dashboards and alerts know', async () => {
    const registry = new Registry();
    createMetrics(registry);
    expect((await registry.getMetricsAsJSON()).map(({ name }) => name).toSorted()).toEqual([
      'slot_answers_total',
      'slot_assignment_duration_seconds',
      'slot_config_lookups_total',
      'slot_config_notices_total',
      'slot_furthest_seconds',
      'slot_group_duration_seconds',
      'slot_group_size',
      'slot_queue_events',
      'slot_retention_removed_total',
      'slot_stale_config_total',
      'slot_window_fill_ratio',
      'slot_windows_searched',
    ]);
  });

  it('do not go on showing a rate limit that is not measured any more', async () => {
    const registry = new Registry();
    const metrics = createMetrics(registry);
    metrics.measured([{ configName: 'old', fill: 1, furthestSeconds: 5 }]);
    metrics.measured([{ configName: 'new', fill: 0.5, furthestSeconds: 7 }]);
    const text = await registry.metrics();
    expect(text).toContain('slot_window_fill_ratio{config="new"} 0.5');
    expect(text).toContain('slot_furthest_seconds{config="new"} 7');
    expect(text).not.toContain('config="old"');
  });
});
