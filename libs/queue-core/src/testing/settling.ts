import type { CurrentHarness } from './harness.js';
import { actionsOf, newItem, newItems, newItemType, rowOf } from './harness.js';

const started = (itemId: string) => ({ itemId, execWorkflowId: `w-${itemId}`, alreadyStarted: false });
const failed = (itemId: string) => ({ itemId, error: 'no such namespace' });

export function describeSettling(harness: CurrentHarness): void {
  describe('settling a claim', () => {
    it('marks a whole sub-batch and tells a new start from one that was there before', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue([newItem(itemType, 'new'), newItem(itemType, 'old')]);
      await harness().queue.claim({ itemType, token: 'A', limit: 5 });
      const items = [started('new'), { ...started('old'), alreadyStarted: true }];
      expect(await harness().queue.markDispatched({ itemType, token: 'A', items })).toEqual({ fenced: [] });
      expect(await rowOf(harness(), itemType, 'new')).toMatchObject({
        status: 'DISPATCHED',
        execWorkflowId: 'w-new',
        dispatchBatchId: 'A',
      });
      expect(await actionsOf(harness(), itemType, 'new')).toEqual(['ENQUEUED', 'CLAIMED', 'DISPATCHED']);
      expect(await actionsOf(harness(), itemType, 'old')).toEqual(['ENQUEUED', 'CLAIMED', 'ALREADY_STARTED']);
    });

    it('counts a retry for a failed start, makes it wait, keeps its error and sets it aside after the last', async () => {
      const itemType = await newItemType(harness(), { maxDispatchRetries: 2 });
      await harness().queue.enqueue([newItem(itemType, 'a')]);
      await harness().queue.claim({ itemType, token: 'A', limit: 5 });
      const first = await harness().queue.returnToReady({ itemType, token: 'A', failures: [failed('a')] });
      expect(first).toEqual({ fenced: [], returned: ['a'], exhausted: [] });
      expect(await rowOf(harness(), itemType, 'a')).toMatchObject({
        status: 'READY',
        retryCount: 1,
        lastError: 'no such namespace',
        dispatchBatchId: null,
        claimedAt: null,
      });
      expect((await harness().queue.claim({ itemType, token: 'B', limit: 5 })).items).toEqual([]);
      await harness().passTime(itemType, 1);
      expect((await harness().queue.claim({ itemType, token: 'B', limit: 5 })).items).toHaveLength(1);
      const second = await harness().queue.returnToReady({ itemType, token: 'B', failures: [failed('a')] });
      expect(second).toEqual({ fenced: [], returned: [], exhausted: ['a'] });
      await harness().passTime(itemType, 10);
      expect((await harness().queue.claim({ itemType, token: 'C', limit: 5 })).items).toEqual([]);
    });

    it('releases items without counting a retry', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue(newItems(itemType, 2));
      await harness().queue.claim({ itemType, token: 'A', limit: 5 });
      const itemIds = ['item-0', 'item-1'];
      const settled = await harness().queue.release({
        itemType,
        token: 'A',
        itemIds,
        reason: 'switched off',
      });
      expect(settled).toEqual({ fenced: [] });
      const again = await harness().queue.claim({ itemType, token: 'B', limit: 5 });
      expect(again.items.map((item) => item.retryCount)).toEqual([0, 0]);
      expect(await actionsOf(harness(), itemType, 'item-0')).toEqual([
        'ENQUEUED',
        'CLAIMED',
        'RELEASED',
        'CLAIMED',
      ]);
    });

    it('lets a slow claimer change nothing once its claim was taken over', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue([newItem(itemType, 'a')]);
      await harness().queue.claim({ itemType, token: 'SLOW', limit: 5 });
      await harness().passTime(itemType, 3);
      await harness().queue.claim({ itemType, token: 'HEIR', limit: 5 });
      const slow = { itemType, token: 'SLOW' };
      const queue = harness().queue;
      expect(await queue.markDispatched({ ...slow, items: [started('a')] })).toEqual({ fenced: ['a'] });
      expect(await queue.returnToReady({ ...slow, failures: [failed('a')] })).toMatchObject({
        fenced: ['a'],
      });
      expect(await queue.release({ ...slow, itemIds: ['a'], reason: 'late' })).toEqual({ fenced: ['a'] });
      expect(await queue.exhaust({ ...slow, failures: [failed('a')] })).toEqual({ fenced: ['a'] });
      expect(await rowOf(harness(), itemType, 'a')).toMatchObject({
        status: 'CLAIMED',
        dispatchBatchId: 'HEIR',
      });
      const heir = { itemType, token: 'HEIR', items: [started('a')] };
      expect(await queue.markDispatched(heir)).toEqual({ fenced: [] });
    });

    it('marks an item once: the second mark of the same claim changes nothing', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue([newItem(itemType, 'a')]);
      await harness().queue.claim({ itemType, token: 'A', limit: 5 });
      const held = { itemType, token: 'A', items: [started('a')] };
      await harness().queue.markDispatched(held);
      expect(await harness().queue.markDispatched(held)).toEqual({ fenced: ['a'] });
      expect(await actionsOf(harness(), itemType, 'a')).toEqual(['ENQUEUED', 'CLAIMED', 'DISPATCHED']);
    });
  });
}
