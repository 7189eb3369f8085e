import type { CurrentHarness } from './harness.js';
import { actionsOf, itemIn, newItem, newItems, newItemType } from './harness.js';

const anHour = 3_600;

export function describeRetention(harness: CurrentHarness): void {
  async function dispatchAll(itemType: string, count: number): Promise<void> {
    const { queue } = harness();
    await queue.enqueue(newItems(itemType, count));
    const { items } = await queue.claim({ itemType, token: 'A', limit: count });
    const done = items.map(({ itemId }) => ({
      itemId,
      execWorkflowId: `w-${itemId}`,
      alreadyStarted: false,
    }));
    await queue.markDispatched({ itemType, token: 'A', items: done });
  }

  describe('retention', () => {
    it('removes finished items of an age with their contexts, in batches of at most the limit', async () => {
      const itemType = await newItemType(harness());
      await dispatchAll(itemType, 25);
      const purge = (limit: number) =>
        harness().queue.purgeFinished({ itemType, minAgeSeconds: anHour, limit });
      expect(await purge(10)).toEqual({ items: 0, contexts: 0 });
      await harness().passTime(itemType, 61);
      await harness().queue.enqueue([newItem(itemType, 'waits'), newItem(itemType, 'withdrawn')]);
      await harness().queue.cancel({ itemType, itemIds: ['withdrawn'], reason: 'x', by: 'ann' });
      expect(await purge(10)).toEqual({ items: 10, contexts: 10 });
      expect(await purge(10)).toEqual({ items: 10, contexts: 10 });
      expect(await purge(10)).toEqual({ items: 5, contexts: 5 });
      expect(await purge(10)).toEqual({ items: 0, contexts: 0 });
      await harness().passTime(itemType, 61);
      expect(await purge(10)).toEqual({ items: 1, contexts: 1 });
      expect(await harness().queue.findItem(itemType, 'item-0')).toBeNull();
      expect((await harness().queue.findItem(itemType, 'waits'))?.row.status).toBe('READY');
    });

    it('spares other item types', async () => {
      const [mine, theirs] = [await itemIn(harness(), 'DISPATCHED'), await itemIn(harness(), 'DISPATCHED')];
      await harness().queue.purgeFinished({ itemType: mine, minAgeSeconds: 0, limit: 10 });
      expect(await harness().queue.findItem(mine, 'a')).toBeNull();
      expect(await harness().queue.findItem(theirs, 'a')).not.toBeNull();
    });

    it('takes a removed item for a new one', async () => {
      const itemType = await itemIn(harness(), 'CANCELLED');
      await harness().queue.purgeFinished({ itemType, minAgeSeconds: 0, limit: 10 });
      const [outcome] = await harness().queue.enqueue([newItem(itemType, 'a', { contextJson: '"new"' })]);
      expect(outcome?.kind).toBe('enqueued');
    });

    it('is shared by several that remove at once: each item goes once', async () => {
      const itemType = await newItemType(harness());
      await dispatchAll(itemType, 300);
      const purger = async (): Promise<number> => {
        for (let removed = 0; ;) {
          const { items, contexts } = await harness().queue.purgeFinished({
            itemType,
            minAgeSeconds: 0,
            limit: 20,
          });
          expect(contexts).toBe(items);
          expect(items).toBeLessThanOrEqual(20);
          if (items === 0) return removed;
          removed += items;
        }
      };
      const removed = await Promise.all([purger(), purger(), purger()]);
      expect(removed.reduce((sum, one) => sum + one, 0)).toBe(300);
    });

    it('prunes the audit log by age, and only by age', async () => {
      const [old, young] = [await itemIn(harness(), 'DISPATCHED'), await itemIn(harness(), 'DISPATCHED')];
      await harness().passTime(old, 61);
      // The limit is larger than the log of this store, whose other rows are young and stand in front.
      const { removed } = await harness().queue.pruneAudit({ minAgeSeconds: anHour, limit: 100_000 });
      expect(removed).toBeGreaterThanOrEqual(3);
      expect(await actionsOf(harness(), old, 'a')).toEqual([]);
      expect(await actionsOf(harness(), young, 'a')).toEqual(['ENQUEUED', 'CLAIMED', 'DISPATCHED']);
      expect(await harness().queue.findItem(old, 'a')).not.toBeNull();
    });
  });
}
