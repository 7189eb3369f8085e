import type { QueueStatus } from '../ports.js';
import type { CurrentHarness } from './harness.js';
import { itemIn, newItem } from './harness.js';

const statuses: readonly QueueStatus[] = ['READY', 'CLAIMED', 'DISPATCHED', 'EXHAUSTED', 'CANCELLED'];
const done = { itemId: 'a', execWorkflowId: 'w-other', alreadyStarted: false };
const failures = [{ itemId: 'a', error: 'late' }];

export function describeGuards(harness: CurrentHarness): void {
  /** Nothing at all may have changed: neither the row nor its trail. */
  async function expectUntouched(itemType: string, attempt: () => Promise<unknown>): Promise<unknown> {
    const before = await harness().queue.findItem(itemType, 'a');
    expect(before).not.toBeNull();
    const answer = await attempt();
    expect(await harness().queue.findItem(itemType, 'a')).toEqual(before);
    return answer;
  }

  describe.each(statuses)('an item that is %s', (status) => {
    it.each(['STRANGER', ...(status === 'CLAIMED' ? [] : ['HOLDER'])])(
      'cannot be settled by the token %s',
      async (token) => {
        const itemType = await itemIn(harness(), status);
        const held = { itemType, token };
        const { queue } = harness();
        const fenced = { fenced: ['a'] };
        expect(
          await expectUntouched(itemType, () => queue.markDispatched({ ...held, items: [done] })),
        ).toEqual(fenced);
        expect(await expectUntouched(itemType, () => queue.returnToReady({ ...held, failures }))).toEqual({
          ...fenced,
          returned: [],
          exhausted: [],
        });
        expect(
          await expectUntouched(itemType, () => queue.release({ ...held, itemIds: ['a'], reason: 'late' })),
        ).toEqual(fenced);
        expect(await expectUntouched(itemType, () => queue.exhaust({ ...held, failures }))).toEqual(fenced);
      },
    );

    it('is not brought back or changed by another enqueue', async () => {
      const itemType = await itemIn(harness(), status);
      const items = [newItem(itemType, 'a', { scheduledExecTime: new Date(0), initWorkflowId: 'again' })];
      expect(await expectUntouched(itemType, () => harness().queue.enqueue(items))).toEqual([
        { kind: 'duplicate', itemType, itemId: 'a' },
      ]);
    });

    if (status !== 'READY') {
      it('is not taken by a claim', async () => {
        const itemType = await itemIn(harness(), status);
        const claim = () => harness().queue.claim({ itemType, token: 'NEXT', limit: 5 });
        expect(await expectUntouched(itemType, claim)).toEqual({
          items: [],
          withoutContext: [],
          exhausted: [],
        });
      });

      it('cannot be cancelled, and says why', async () => {
        const itemType = await itemIn(harness(), status);
        const order = { itemType, itemIds: ['a'], reason: 'not wanted', by: 'ann' };
        expect(await expectUntouched(itemType, () => harness().queue.cancel(order))).toEqual([
          { kind: 'refused', itemId: 'a', status },
        ]);
      });
    }

    if (status !== 'EXHAUSTED') {
      it('cannot be requeued, and says why', async () => {
        const itemType = await itemIn(harness(), status);
        const order = { itemType, itemIds: ['a'], reason: 'mended', by: 'ann' };
        expect(await expectUntouched(itemType, () => harness().queue.requeue(order))).toEqual([
          { kind: 'refused', itemId: 'a', status },
        ]);
      });
    }

    if (status !== 'DISPATCHED' && status !== 'CANCELLED') {
      it('is not removed, however old', async () => {
        const itemType = await itemIn(harness(), status);
        const { queue } = harness();
        const purge = () => queue.purgeFinished({ itemType, minAgeSeconds: 0, limit: 10 });
        expect(await expectUntouched(itemType, purge)).toEqual({ items: 0, contexts: 0 });
      });
    }
  });
}
