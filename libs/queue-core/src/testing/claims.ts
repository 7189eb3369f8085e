import type { CurrentHarness } from './harness.js';
import { actionsOf, newItem, newItems, newItemType, rowOf, unconfiguredItemType } from './harness.js';

export function describeClaims(harness: CurrentHarness): void {
  describe('claim', () => {
    it('gives each row to one of many concurrent claimers and never more than the limit', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue(newItems(itemType, 2_000));
      const limit = 37;
      const claimer = async (name: number): Promise<string[]> => {
        const mine: string[] = [];
        for (let round = 0; ; round++) {
          const claim = await harness().queue.claim({ itemType, token: `C${name}-${round}`, limit });
          expect(claim.items.length).toBeLessThanOrEqual(limit);
          if (claim.items.length === 0) return mine;
          mine.push(...claim.items.map((item) => item.itemId));
        }
      };
      const claimed = (await Promise.all(Array.from({ length: 8 }, (_, name) => claimer(name)))).flat();
      expect(claimed).toHaveLength(2_000);
      expect(new Set(claimed).size).toBe(2_000);
    });

    it('takes stale claims first and fills up with READY items to the limit', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue(newItems(itemType, 20));
      const lost = await harness().queue.claim({ itemType, token: 'LOST', limit: 8 });
      await harness().passTime(itemType, 3);
      const { items } = await harness().queue.claim({ itemType, token: 'NEXT', limit: 12 });
      expect(items).toHaveLength(12);
      expect(new Set(items.filter((item) => item.reclaimed).map((item) => item.itemId))).toEqual(
        new Set(lost.items.map((item) => item.itemId)),
      );
      expect((await harness().queue.claim({ itemType, token: 'LAST', limit: 12 })).items).toHaveLength(8);
    });

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
