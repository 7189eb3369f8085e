import type { CurrentHarness } from './harness.js';
import { fill, newItem, newItems, newItemType, rowOf } from './harness.js';

const claimers = 8;

export function describeConcurrency(harness: CurrentHarness): void {
  describe('many at once', () => {
    it('gives each of 10,000 rows to one of many claimers, loses none, and never gives more than the limit', async () => {
      const itemType = await newItemType(harness());
      await fill(harness(), newItems(itemType, 10_000));
      const limit = 97;
      const claimer = async (name: number): Promise<string[]> => {
        const mine: string[] = [];
        for (let round = 0; ; round++) {
          const claim = await harness().queue.claim({ itemType, token: `C${name}-${round}`, limit });
          expect(claim.items.length).toBeLessThanOrEqual(limit);
          if (claim.items.length === 0) return mine;
          mine.push(...claim.items.map((item) => item.itemId));
        }
      };
      const byClaimer = await Promise.all(Array.from({ length: claimers }, (_, name) => claimer(name)));
      expect(byClaimer.every((mine) => mine.length > 0)).toBe(true);
      expect(byClaimer.flat()).toHaveLength(10_000);
      expect(new Set(byClaimer.flat()).size).toBe(10_000);
      expect(await harness().queue.measureDepth(itemType, 20_000)).toMatchObject({
        ready: 0,
        claimed: 10_000,
      });
    });

    it('gives a claimer its full limit while another holds the locks of the rows that come first', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue(newItems(itemType, 100));
      const held = await harness().claimAndHold({ itemType, token: 'OPEN', limit: 40 });
      try {
        expect(held.claim.items).toHaveLength(40);
        const first = await harness().queue.claim({ itemType, token: 'B', limit: 50 });
        expect(first.items).toHaveLength(50);
        const second = await harness().queue.claim({ itemType, token: 'C', limit: 50 });
        expect(second.items).toHaveLength(10);
      } finally {
        await held.rollBack();
      }
      const last = await harness().queue.claim({ itemType, token: 'D', limit: 50 });
      expect(new Set(last.items.map((item) => item.itemId))).toEqual(
        new Set(held.claim.items.map((item) => item.itemId)),
      );
      expect(last.items.every((item) => item.retryCount === 0 && !item.reclaimed)).toBe(true);
    });

    it('shares stale claims too: what one claimer takes over is not taken over by another', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue(newItems(itemType, 60));
      await harness().queue.claim({ itemType, token: 'LOST', limit: 60 });
      await harness().passTime(itemType, 3);
      const held = await harness().claimAndHold({ itemType, token: 'OPEN', limit: 20 });
      const { items } = await harness().queue.claim({ itemType, token: 'B', limit: 60 });
      await held.commit();
      expect(held.claim.items).toHaveLength(20);
      expect(items).toHaveLength(40);
      const both = [...items, ...held.claim.items].map((item) => item.itemId);
      expect(new Set(both).size).toBe(60);
    });

    it('lets either a slow living claimer or its heir have an item, never both and never neither', async () => {
      const itemType = await newItemType(harness(), { maxDispatchRetries: 100 });
      const ids = Array.from({ length: 40 }, (_, index) => `i${String(index).padStart(2, '0')}`);
      for (const itemId of ids) {
        await harness().queue.enqueue([newItem(itemType, itemId)]);
        await harness().queue.claim({ itemType, token: `SLOW-${itemId}`, limit: 1 });
        await harness().passTime(itemType, 3);
        const done = { itemId, execWorkflowId: `w-${itemId}`, alreadyStarted: false };
        const [marked, claim] = await Promise.all([
          harness().queue.markDispatched({ itemType, token: `SLOW-${itemId}`, items: [done] }),
          harness().queue.claim({ itemType, token: `HEIR-${itemId}`, limit: 1 }),
        ]);
        const heirHasIt = claim.items.some((item) => item.itemId === itemId);
        expect(marked.fenced).toEqual(heirHasIt ? [itemId] : []);
        expect(await rowOf(harness(), itemType, itemId)).toMatchObject(
          heirHasIt ? { status: 'CLAIMED', dispatchBatchId: `HEIR-${itemId}` } : { status: 'DISPATCHED' },
        );
        const held = { itemType, token: `HEIR-${itemId}`, items: [done] };
        if (heirHasIt) expect(await harness().queue.markDispatched(held)).toEqual({ fenced: [] });
      }
    });

    it('enqueues thousands of items once, however many callers bring them at the same time', async () => {
      const itemType = await newItemType(harness());
      const items = newItems(itemType, 5_000);
      const callers = [items, items.toReversed(), items, items.slice(2_000)];
      const outcomes = await Promise.all(callers.map((mine) => harness().queue.enqueue(mine)));
      for (const [index, outcome] of outcomes.entries()) {
        expect(outcome.map((one) => one.itemId)).toEqual(callers[index]?.map((item) => item.itemId));
      }
      const kinds = Object.groupBy(outcomes.flat(), (outcome) => outcome.kind);
      expect(kinds.enqueued).toHaveLength(5_000);
      expect(kinds.duplicate).toHaveLength(13_000);
      expect(kinds.conflict).toBeUndefined();
      expect(await harness().queue.measureDepth(itemType, 20_000)).toMatchObject({ ready: 5_000 });
      const again = await harness().queue.enqueue(items);
      expect(again.every((outcome) => outcome.kind === 'duplicate')).toBe(true);
    });

    it('tells a twin with another context from one with the same, also when both come at once', async () => {
      const itemType = await newItemType(harness());
      const mine = newItems(itemType, 1_000);
      const theirs = mine.map((item, index) =>
        index % 2 === 0 ? item : { ...item, contextJson: '"other"' },
      );
      const [first, second] = await Promise.all([
        harness().queue.enqueue(mine),
        harness().queue.enqueue(theirs),
      ]);
      for (const index of mine.keys()) {
        const kinds = [first[index]?.kind, second[index]?.kind].toSorted();
        expect(kinds).toEqual([index % 2 === 0 ? 'duplicate' : 'conflict', 'enqueued']);
      }
    });
  });
}
