import type { ExhaustedItem, OrderOutcome } from '@sluice/queue-core';
import { requeueExhausted } from './requeue-exhausted.js';

const item = (itemId: string): ExhaustedItem => ({
  itemId,
  scheduledExecTime: new Date(0),
  initWorkflowId: 'init',
  retryCount: 3,
  lastError: 'x',
  exhaustedAt: new Date(0),
});

const order = {
  itemType: 'SAMPLE',
  filter: { errorContains: 'x' },
  limit: 3,
  reason: 'mended',
  by: 'ann',
};

function queueOf(ids: string[], outcomes: OrderOutcome[]) {
  const orders: unknown[] = [];
  return {
    orders,
    listExhausted: async () => ({ items: ids.map(item), next: { at: '', itemId: ids.at(-1) ?? '' } }),
    requeue: async (given: unknown) => {
      orders.push(given);
      return outcomes;
    },
  };
}

describe('requeueExhausted', () => {
  it('changes nothing in a dry run', async () => {
    const queue = queueOf(['a', 'b'], []);
    expect(await requeueExhausted(queue, { ...order, dryRun: true })).toEqual({
      matched: 2,
      requeued: 0,
      itemIds: ['a', 'b'],
      refused: [],
      more: true,
    });
    expect(queue.orders).toEqual([]);
  });

  it('tells what was requeued from what somebody else changed in between', async () => {
    const queue = queueOf(
      ['a', 'b', 'c'],
      [
        { kind: 'changed', itemId: 'a' },
        { kind: 'refused', itemId: 'b', status: 'READY' },
        { kind: 'unknown', itemId: 'c' },
      ],
    );
    expect(await requeueExhausted(queue, { ...order, dryRun: false })).toEqual({
      matched: 3,
      requeued: 1,
      itemIds: ['a'],
      refused: [
        { itemId: 'b', status: 'READY' },
        { itemId: 'c', status: null },
      ],
      more: true,
    });
    expect(queue.orders).toEqual([
      { itemType: 'SAMPLE', itemIds: ['a', 'b', 'c'], reason: 'mended', by: 'ann' },
    ]);
  });
});
