import type { CurrentHarness } from './harness.js';
import { newItem, newItems, newItemType, rowOf } from './harness.js';

export function describeEnqueue(harness: CurrentHarness): void {
  const kindsOf = async (items: ReturnType<typeof newItems>) =>
    (await harness().queue.enqueue(items)).map((outcome) => outcome.kind);

  describe('enqueue', () => {
    it('leaves each item READY, with its outcome in the order given', async () => {
      const itemType = await newItemType(harness());
      const outcomes = await harness().queue.enqueue([newItem(itemType, 'b'), newItem(itemType, 'a')]);
      expect(outcomes).toEqual([
        { kind: 'enqueued', itemType, itemId: 'b' },
        { kind: 'enqueued', itemType, itemId: 'a' },
      ]);
      expect(await rowOf(harness(), itemType, 'a')).toMatchObject({
        status: 'READY',
        retryCount: 0,
        initWorkflowId: 'init-a',
      });
    });

    it('takes the same items again as duplicates and adds the new ones', async () => {
      const itemType = await newItemType(harness());
      const items = newItems(itemType, 3);
      await harness().queue.enqueue(items.slice(0, 2));
      expect(await kindsOf(items)).toEqual(['duplicate', 'duplicate', 'enqueued']);
    });

    it('refuses the same id with another context and keeps the first', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue([newItem(itemType, 'a', { contextJson: '"first"' })]);
      expect(await kindsOf([newItem(itemType, 'a', { contextJson: '"second"' })])).toEqual(['conflict']);
      expect(await kindsOf([newItem(itemType, 'a', { contextJson: '"first"', contextVersion: 2 })])).toEqual([
        'conflict',
      ]);
      const { items } = await harness().queue.claim({ itemType, token: 'T', limit: 5 });
      expect(items.map((item) => item.contextJson)).toEqual(['"first"']);
    });

    it('judges an id that is named twice in one call', async () => {
      const itemType = await newItemType(harness());
      const first = newItem(itemType, 'a');
      expect(await kindsOf([first, { ...first }, { ...first, contextJson: '"other"' }])).toEqual([
        'enqueued',
        'duplicate',
        'conflict',
      ]);
    });

    it('keeps two item types with the same id apart', async () => {
      const [one, other] = [await newItemType(harness()), await newItemType(harness())];
      expect(await kindsOf([newItem(one, 'a'), newItem(other, 'a', { contextJson: '1' })])).toEqual([
        'enqueued',
        'enqueued',
      ]);
    });

    it('does not bring back an item that was dispatched', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue([newItem(itemType, 'a')]);
      await harness().queue.claim({ itemType, token: 'T', limit: 1 });
      const done = { itemId: 'a', execWorkflowId: 'w', alreadyStarted: false };
      await harness().queue.markDispatched({ itemType, token: 'T', items: [done] });
      expect(await kindsOf([newItem(itemType, 'a')])).toEqual(['duplicate']);
      expect((await harness().queue.claim({ itemType, token: 'T2', limit: 1 })).items).toEqual([]);
    });

    it('gives contexts and times back exactly as they came', async () => {
      const itemType = await newItemType(harness());
      const contextJson = '{"a":"\\" \\\\ {NULL,\'x\'} é 漢 \\u0000 \\n","b":""}';
      const scheduledExecTime = new Date('2021-10-31T02:30:00.123+02:00');
      await harness().queue.enqueue([newItem(itemType, 'ä {"x"}, \\', { contextJson, scheduledExecTime })]);
      const { items } = await harness().queue.claim({ itemType, token: 'T', limit: 1 });
      expect(items).toMatchObject([{ itemId: 'ä {"x"}, \\', contextJson, scheduledExecTime }]);
    });

    it('does nothing for no items', async () => {
      expect(await harness().queue.enqueue([])).toEqual([]);
    });
  });
}
