import type { ExhaustedCursor } from '../operations.js';
import type { CurrentHarness } from './harness.js';
import {
  actionsOf,
  itemIn,
  lastEntryOf,
  newItem,
  newItems,
  newItemType,
  rowOf,
  settings,
  unconfiguredItemType,
} from './harness.js';

export function describeOperations(harness: CurrentHarness): void {
  /** Sets all READY items aside, each in a claim of its own, so that each has a moment of its own. */
  async function exhaustEach(itemType: string, errorOf: (itemId: string) => string): Promise<string[]> {
    const ids: string[] = [];
    for (let round = 0; ; round++) {
      const held = { itemType, token: `X-${round}` };
      const [item] = (await harness().queue.claim({ ...held, limit: 1 })).items;
      if (!item) return ids;
      const failures = [{ itemId: item.itemId, error: errorOf(item.itemId) }];
      await harness().queue.exhaust({ ...held, failures });
      ids.push(item.itemId);
    }
  }

  describe('requeue and cancel', () => {
    it('lets an exhausted item wait again with all its retries, and writes down who and why', async () => {
      const itemType = await newItemType(harness(), { maxDispatchRetries: 1 });
      const { queue } = harness();
      await queue.enqueue([newItem(itemType, 'a')]);
      await queue.claim({ itemType, token: 'A', limit: 1 });
      await queue.returnToReady({ itemType, token: 'A', failures: [{ itemId: 'a', error: 'refused' }] });
      expect(await rowOf(harness(), itemType, 'a')).toMatchObject({ status: 'EXHAUSTED', retryCount: 1 });
      const order = { itemType, itemIds: ['a'], reason: 'the namespace exists now', by: 'ann' };
      expect(await queue.requeue(order)).toEqual([{ kind: 'changed', itemId: 'a' }]);
      expect(await rowOf(harness(), itemType, 'a')).toMatchObject({
        status: 'READY',
        retryCount: 0,
        retryAfter: null,
        lastError: 'refused',
      });
      expect(await lastEntryOf(harness(), itemType, 'a')).toMatchObject({
        action: 'REQUEUED',
        statusBefore: 'EXHAUSTED',
        statusAfter: 'READY',
        detail: 'the namespace exists now',
        actor: 'ann',
      });
      const { items } = await queue.claim({ itemType, token: 'B', limit: 1 });
      expect(items).toMatchObject([{ itemId: 'a', retryCount: 0 }]);
    });

    it('takes a READY item out for good, and writes down who and why', async () => {
      const itemType = await newItemType(harness());
      const { queue } = harness();
      await queue.enqueue([newItem(itemType, 'a'), newItem(itemType, 'b')]);
      const order = { itemType, itemIds: ['a'], reason: 'withdrawn', by: 'ben' };
      expect(await queue.cancel(order)).toEqual([{ kind: 'changed', itemId: 'a' }]);
      expect((await rowOf(harness(), itemType, 'a')).status).toBe('CANCELLED');
      expect(await lastEntryOf(harness(), itemType, 'a')).toMatchObject({
        action: 'CANCELLED',
        statusBefore: 'READY',
        statusAfter: 'CANCELLED',
        detail: 'withdrawn',
        actor: 'ben',
      });
      const { items } = await queue.claim({ itemType, token: 'A', limit: 5 });
      expect(items.map((item) => item.itemId)).toEqual(['b']);
    });

    it('answers for each item in the order given', async () => {
      const itemType = await newItemType(harness());
      const { queue } = harness();
      await queue.enqueue(newItems(itemType, 3));
      const held = { itemType, token: 'A' };
      await queue.claim({ ...held, limit: 3 });
      await queue.exhaust({ ...held, failures: [{ itemId: 'item-0', error: 'x' }] });
      await queue.exhaust({ ...held, failures: [{ itemId: 'item-2', error: 'x' }] });
      const order = { itemType, itemIds: ['item-2', 'none', 'item-1', 'item-0'], reason: 'y', by: 'ann' };
      expect(await queue.requeue(order)).toEqual([
        { kind: 'changed', itemId: 'item-2' },
        { kind: 'unknown', itemId: 'none' },
        { kind: 'refused', itemId: 'item-1', status: 'CLAIMED' },
        { kind: 'changed', itemId: 'item-0' },
      ]);
      expect(await queue.cancel({ ...order, itemIds: [] })).toEqual([]);
    });

    it('lets two operators with the same items wait for each other, and each item change once', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue(newItems(itemType, 200));
      const itemIds = newItems(itemType, 200).map((item) => item.itemId);
      const outcomes = await Promise.all([
        harness().queue.cancel({ itemType, itemIds, reason: 'x', by: 'ann' }),
        harness().queue.cancel({ itemType, itemIds: itemIds.toReversed(), reason: 'x', by: 'ben' }),
      ]);
      expect(outcomes.flat().filter((outcome) => outcome.kind === 'changed')).toHaveLength(200);
      expect(await actionsOf(harness(), itemType, 'item-7')).toEqual(['ENQUEUED', 'CANCELLED']);
    });

    it('either cancels an item or starts it, when both are tried at once', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue(newItems(itemType, 60));
      const itemIds = newItems(itemType, 60).map((item) => item.itemId);
      const [claim, ...cancels] = await Promise.all([
        harness().queue.claim({ itemType, token: 'A', limit: 30 }),
        ...itemIds.map((itemId) =>
          harness().queue.cancel({ itemType, itemIds: [itemId], reason: 'x', by: 'ann' }),
        ),
      ]);
      const cancelled = cancels.flat().filter((outcome) => outcome.kind === 'changed');
      const both = [...claim.items, ...cancelled].map((one) => one.itemId);
      expect(new Set(both).size).toBe(both.length);
      const depth = await harness().queue.measureDepth(itemType, 100);
      expect(both.length + depth.ready).toBe(60);
    });
  });

  describe('the list of exhausted items', () => {
    it('is paged in the order they were set aside, without a gap or a repetition', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue(newItems(itemType, 23));
      const held = { itemType, token: 'BULK' };
      // Ten at one moment, the others each at a moment of their own.
      const bulk = await harness().queue.claim({ ...held, limit: 10 });
      const failures = bulk.items.map(({ itemId }) => ({ itemId, error: 'x' }));
      await harness().queue.exhaust({ ...held, failures });
      const later = await exhaustEach(itemType, () => 'y');
      const seen: string[] = [];
      let after: ExhaustedCursor | null = null;
      do {
        const page = await harness().queue.listExhausted({ itemType, after, limit: 4 });
        seen.push(...page.items.map((item) => item.itemId));
        after = page.next;
      } while (after);
      expect(new Set(seen).size).toBe(23);
      expect(seen.slice(10)).toEqual(later);
    });

    it('shows why and since when, and only what is exhausted', async () => {
      const itemType = await itemIn(harness(), 'EXHAUSTED');
      await harness().queue.enqueue([newItem(itemType, 'ready')]);
      const page = await harness().queue.listExhausted({ itemType, limit: 10 });
      expect(page).toEqual({
        next: null,
        items: [
          {
            itemId: 'a',
            scheduledExecTime: expect.any(Date) as Date,
            initWorkflowId: 'init-a',
            retryCount: 0,
            lastError: 'it is broken',
            exhaustedAt: expect.any(Date) as Date,
          },
        ],
      });
    });

    it('is filtered by the error and by the time', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue(newItems(itemType, 6));
      await exhaustEach(itemType, (itemId) => (itemId.endsWith('3') ? '100% of_it {failed}' : 'other'));
      const idsFor = async (filter: {
        errorContains?: string;
        exhaustedFrom?: Date;
        exhaustedBefore?: Date;
      }) =>
        (await harness().queue.listExhausted({ itemType, filter, limit: 10 })).items.map(
          (item) => item.itemId,
        );
      expect(await idsFor({ errorContains: '% of_it {' })).toEqual(['item-3']);
      expect(await idsFor({ errorContains: '%' })).toEqual(['item-3']);
      expect(await idsFor({ errorContains: 'FAILED' })).toEqual([]);
      const anHour = 3_600_000;
      expect(await idsFor({ exhaustedFrom: new Date(Date.now() - anHour) })).toHaveLength(6);
      expect(await idsFor({ exhaustedFrom: new Date(Date.now() + anHour) })).toEqual([]);
      expect(await idsFor({ exhaustedBefore: new Date(Date.now() - anHour) })).toEqual([]);
    });
  });

  describe('the kill switch', () => {
    it('is turned alone, and a turn that changes nothing leaves no trace', async () => {
      const itemType = await newItemType(harness());
      const { queue } = harness();
      const off = { itemType, enabled: false, reason: 'maintenance', by: 'ann' };
      expect(await queue.switchDispatch(off)).toEqual({ kind: 'changed' });
      expect(await queue.switchDispatch(off)).toEqual({ kind: 'unchanged' });
      expect((await queue.readConfig(itemType))?.config).toEqual({ ...settings, enabled: false });
      expect(await queue.switchDispatch({ ...off, enabled: true, by: 'ben' })).toEqual({ kind: 'changed' });
      expect(await queue.switchDispatch({ ...off, itemType: unconfiguredItemType() })).toEqual({
        kind: 'unknown',
      });
      const { changes } = await queue.listChanges({ itemType, limit: 10 });
      expect(changes.map(({ action, actor }) => [action, actor])).toEqual([
        ['DISPATCH_RESUMED', 'ben'],
        ['DISPATCH_PAUSED', 'ann'],
        ['CONFIG_CHANGED', 'conformance'],
      ]);
      expect(changes[1]?.detail).toBe('maintenance');
    });
  });

  describe('the list of changes', () => {
    it('shows what people did, newest first and paged, and nothing of what the service did', async () => {
      const itemType = await newItemType(harness());
      const { queue } = harness();
      await queue.enqueue(newItems(itemType, 5));
      await queue.claim({ itemType, token: 'A', limit: 1 });
      await queue.recordAction({ itemType, action: 'CYCLE_TRIGGERED', reason: 'in a hurry', by: 'ann' });
      const itemIds = ['item-3', 'item-4'];
      await queue.cancel({ itemType, itemIds, reason: 'withdrawn', by: 'ben' });
      const config = { ...settings, batchSize: 7 };
      await queue.writeConfig({ itemType, config, by: 'eve', reason: 'fewer' });
      const seen: [string, string | null][] = [];
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof queue.listChanges>> = await queue.listChanges({
          itemType,
          after,
          limit: 2,
        });
        seen.push(...page.changes.map(({ action, itemId }): [string, string | null] => [action, itemId]));
        after = page.next;
      } while (after);
      expect(seen[0]).toEqual(['CONFIG_CHANGED', null]);
      expect(seen.slice(1, 3).toSorted()).toEqual([
        ['CANCELLED', 'item-3'],
        ['CANCELLED', 'item-4'],
      ]);
      expect(seen.slice(3)).toEqual([
        ['CYCLE_TRIGGERED', null],
        ['CONFIG_CHANGED', null],
      ]);
      const [newest] = (await queue.listChanges({ itemType, limit: 1 })).changes;
      expect(JSON.parse(newest?.detail ?? '')).toMatchObject({
        before: { batch_size: settings.batchSize },
        after: { batch_size: 7 },
        reason: 'fewer',
      });
    });
  });

  describe('depths', () => {
    it('counts READY items by the minute they are due in, up to the cap, and leaves out empty minutes', async () => {
      const itemType = await newItemType(harness());
      const { queue } = harness();
      const at = (iso: string, count: number) =>
        Array.from({ length: count }, (_, index) =>
          newItem(itemType, `${iso}/${index}`, { scheduledExecTime: new Date(iso) }),
        );
      await queue.enqueue([
        ...at('2026-05-01T15:59:59.999Z', 3),
        ...at('2026-05-01T16:00:00.000Z', 9),
        ...at('2026-05-01T16:00:59.999Z', 2),
        ...at('2026-05-01T18:30:00.000Z', 1),
      ]);
      const minutes = (minute: string, ready: number, exact = true) => ({
        minute: new Date(minute),
        ready,
        exact,
      });
      expect(await queue.measureMinutes({ itemType, minutes: 10, capPerMinute: 11 })).toEqual([
        minutes('2026-05-01T15:59:00Z', 3),
        minutes('2026-05-01T16:00:00Z', 11),
        minutes('2026-05-01T18:30:00Z', 1),
      ]);
      expect(await queue.measureMinutes({ itemType, minutes: 2, capPerMinute: 10 })).toEqual([
        minutes('2026-05-01T15:59:00Z', 3),
        minutes('2026-05-01T16:00:00Z', 10, false),
      ]);
      const from = new Date('2026-05-01T16:00:30Z');
      expect(await queue.measureMinutes({ itemType, from, minutes: 1, capPerMinute: 20 })).toEqual([
        minutes('2026-05-01T16:00:00Z', 11),
      ]);
      const late = new Date('2026-05-02T00:00:00Z');
      expect(await queue.measureMinutes({ itemType, from: late, minutes: 5, capPerMinute: 20 })).toEqual([]);
    });

    it('counts what is finished, up to the cap', async () => {
      const itemType = await newItemType(harness());
      const { queue } = harness();
      await queue.enqueue(newItems(itemType, 9));
      const { items } = await queue.claim({ itemType, token: 'A', limit: 6 });
      await queue.markDispatched({
        itemType,
        token: 'A',
        items: items.map(({ itemId }) => ({ itemId, execWorkflowId: 'w', alreadyStarted: false })),
      });
      const { items: rest } = await queue.claim({ itemType, token: 'B', limit: 1 });
      expect(rest).toHaveLength(1);
      const ready = newItems(itemType, 9)
        .map((item) => item.itemId)
        .filter((id) => ![...items, ...rest].some((item) => item.itemId === id));
      await queue.cancel({ itemType, itemIds: ready, reason: 'x', by: 'ann' });
      expect(await queue.countFinished(itemType, 100)).toEqual({ dispatched: 6, cancelled: 2 });
      expect(await queue.countFinished(itemType, 4)).toEqual({ dispatched: 4, cancelled: 2 });
    });
  });
}
