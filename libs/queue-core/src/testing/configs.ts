import type { CurrentHarness } from './harness.js';
import { newItem, newItems, newItemType, settings, unconfiguredItemType } from './harness.js';

export function describeConfigs(harness: CurrentHarness): void {
  describe('configuration and views', () => {
    it('creates a config, changes it, and knows when nothing changes', async () => {
      const itemType = unconfiguredItemType();
      const { queue } = harness();
      expect(await queue.readConfig(itemType)).toBeNull();
      expect(await queue.writeConfig({ itemType, config: settings, by: 'ann' })).toEqual({ kind: 'created' });
      expect(await queue.writeConfig({ itemType, config: settings, by: 'ann' })).toEqual({
        kind: 'unchanged',
      });
      const changed = { ...settings, enabled: false, batchSize: 7 };
      expect(await queue.writeConfig({ itemType, config: changed, by: 'ben' })).toEqual({ kind: 'changed' });
      expect(await queue.readConfig(itemType)).toMatchObject({ itemType, config: changed });
      expect((await queue.listConfigs()).filter((row) => row.itemType === itemType)).toHaveLength(1);
    });

    it('measures what waits, up to the cap', async () => {
      const itemType = await newItemType(harness());
      const { queue } = harness();
      const nothing = { ready: 0, claimed: 0, exhausted: 0, oldestDueSeconds: 0 };
      expect(await queue.measureDepth(itemType, 10)).toEqual(nothing);
      await queue.enqueue([
        ...newItems(itemType, 12),
        newItem(itemType, 'oldest', { scheduledExecTime: new Date(Date.now() - 600_000) }),
      ]);
      await queue.claim({ itemType, token: 'A', limit: 2 });
      const failures = [{ itemId: 'oldest', error: 'x' }];
      await queue.exhaust({ itemType, token: 'A', failures });
      const depth = await queue.measureDepth(itemType, 10);
      expect(depth).toMatchObject({ ready: 10, claimed: 1, exhausted: 1 });
      expect(depth.oldestDueSeconds).toBeGreaterThan(50);
      expect(depth.oldestDueSeconds).toBeLessThan(600);
    });

    it('knows nothing of an item that was never enqueued', async () => {
      const itemType = await newItemType(harness());
      expect(await harness().queue.findItem(itemType, 'none')).toBeNull();
    });
  });
}
