import type { CurrentHarness } from './harness.js';
import { actionsOf, newItem, newItems, newItemType, rowOf, unconfiguredItemType } from './harness.js';

export function describeClaims(harness: CurrentHarness): void {
  describe('claim', () => {
    it('shares the limit between stale claims and READY items', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue(newItems(itemType, 40));
      const lost = await harness().queue.claim({ itemType, token: 'LOST', limit: 20 });
      await harness().passTime(itemType, 3);
      const lostIds = new Set(lost.items.map((item) => item.itemId));
      for (const [limit, stale] of [
        [10, 5],
        [5, 3],
        [1, 1],
      ] as const) {
        const { items } = await harness().queue.claim({ itemType, token: `NEXT-${limit}`, limit });
        expect(items).toHaveLength(limit);
        const reclaimed = items.filter((item) => item.reclaimed);
        expect(reclaimed).toHaveLength(stale);
        expect(reclaimed.every((item) => lostIds.has(item.itemId))).toBe(true);
      }
    });

    it.each([
      { stale: 8, ready: 4, limit: 12, taken: 8 },
      { stale: 8, ready: 2, limit: 12, taken: 8 },
      { stale: 20, ready: 3, limit: 12, taken: 9 },
      { stale: 20, ready: 0, limit: 12, taken: 12 },
      { stale: 2, ready: 20, limit: 12, taken: 2 },
    ])(
      'lets $stale stale claims and $ready READY items take what the other leaves of $limit',
      async ({ stale, ready, limit, taken }) => {
        const itemType = await newItemType(harness());
        await harness().queue.enqueue(newItems(itemType, stale + ready));
        await harness().queue.claim({ itemType, token: 'LOST', limit: stale });
        await harness().passTime(itemType, 3);
        const { items } = await harness().queue.claim({ itemType, token: 'NEXT', limit });
        expect(items).toHaveLength(Math.min(limit, stale + ready));
        expect(new Set(items.map((item) => item.itemId)).size).toBe(items.length);
        expect(items.filter((item) => item.reclaimed)).toHaveLength(taken);
      },
    );

    it('counts a reclaim as a retry and sets the item aside after the last one', async () => {
      const itemType = await newItemType(harness(), { maxDispatchRetries: 2 });
      await harness().queue.enqueue([newItem(itemType, 'killer')]);
      await harness().queue.claim({ itemType, token: 'A', limit: 5 });
      await harness().passTime(itemType, 3);
      const second = await harness().queue.claim({ itemType, token: 'B', limit: 5 });
      expect(second.items).toMatchObject([{ itemId: 'killer', retryCount: 1, reclaimed: true }]);
      await harness().passTime(itemType, 3);
      const third = await harness().queue.claim({ itemType, token: 'C', limit: 5 });
      expect(third).toEqual({ items: [], withoutContext: [], exhausted: ['killer'] });
      expect(await rowOf(harness(), itemType, 'killer')).toMatchObject({
        status: 'EXHAUSTED',
        retryCount: 2,
        lastError: 'claim B went stale',
      });
      expect(await actionsOf(harness(), itemType, 'killer')).toEqual([
        'ENQUEUED',
        'CLAIMED',
        'RECLAIMED',
        'CLAIMED',
        'EXHAUSTED',
      ]);
    });

    it('leaves a claim alone that is not stale yet', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue([newItem(itemType, 'a')]);
      await harness().queue.claim({ itemType, token: 'A', limit: 5 });
      await harness().passTime(itemType, 1);
      expect((await harness().queue.claim({ itemType, token: 'B', limit: 5 })).items).toEqual([]);
    });

    it('takes the items that are due longest first', async () => {
      const itemType = await newItemType(harness());
      const at = (minutesAgo: number) => ({ scheduledExecTime: new Date(Date.now() - minutesAgo * 60_000) });
      await harness().queue.enqueue([
        newItem(itemType, 'second', at(10)),
        newItem(itemType, 'third', at(5)),
        newItem(itemType, 'first', at(20)),
      ]);
      const { items } = await harness().queue.claim({ itemType, token: 'A', limit: 2 });
      expect(items.map((item) => item.itemId)).toEqual(['first', 'second']);
    });

    it('takes an item ahead of its time only within the buffer, and says how long is left', async () => {
      const itemType = await newItemType(harness(), { preStartBufferMins: 1 });
      const inSeconds = (seconds: number) => ({ scheduledExecTime: new Date(Date.now() + seconds * 1_000) });
      await harness().queue.enqueue([
        newItem(itemType, 'soon', inSeconds(30)),
        newItem(itemType, 'later', inSeconds(90)),
      ]);
      const { items } = await harness().queue.claim({ itemType, token: 'A', limit: 5 });
      expect(items.map((item) => item.itemId)).toEqual(['soon']);
      expect(items[0]?.msUntilDue).toBeGreaterThan(20_000);
      expect(items[0]?.msUntilDue).toBeLessThanOrEqual(30_000);
    });

    it('takes nothing while the item type is switched off or unknown', async () => {
      const itemType = await newItemType(harness(), { enabled: false });
      const unknown = unconfiguredItemType();
      await harness().queue.enqueue([newItem(itemType, 'a'), newItem(unknown, 'a')]);
      const nothing = { items: [], withoutContext: [], exhausted: [] };
      expect(await harness().queue.claim({ itemType, token: 'A', limit: 5 })).toEqual(nothing);
      expect(await harness().queue.claim({ itemType: unknown, token: 'A', limit: 5 })).toEqual(nothing);
      expect((await rowOf(harness(), itemType, 'a')).status).toBe('READY');
    });

    it('shows an item whose context is missing instead of dropping it', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue([newItem(itemType, 'whole'), newItem(itemType, 'torn')]);
      await harness().dropContext(itemType, 'torn');
      const claim = await harness().queue.claim({ itemType, token: 'A', limit: 5 });
      expect(claim.items.map((item) => item.itemId)).toEqual(['whole']);
      expect(claim.withoutContext).toEqual(['torn']);
      const failures = [{ itemId: 'torn', error: 'its context is missing' }];
      expect(await harness().queue.exhaust({ itemType, token: 'A', failures })).toEqual({ fenced: [] });
      expect(await rowOf(harness(), itemType, 'torn')).toMatchObject({
        status: 'EXHAUSTED',
        lastError: 'its context is missing',
      });
      await harness().passTime(itemType, 3);
      const next = await harness().queue.claim({ itemType, token: 'B', limit: 5 });
      expect(next.items.map((item) => item.itemId)).toEqual(['whole']);
    });
  });
}
