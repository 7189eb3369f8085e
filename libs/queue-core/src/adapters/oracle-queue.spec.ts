import { claimed, offlineQueue, useEverything } from '../testing/offline-oracle.js';
import type { Call } from '../testing/offline-oracle.js';
import { newItem } from '../testing/harness.js';

describe('the Oracle store', () => {
  let all: Awaited<ReturnType<typeof useEverything>>;
  beforeAll(async () => {
    all = await useEverything();
  });
  const callOf = (statement: string): Call => {
    const found = all.calls.find((call) => call.statement === statement);
    if (!found) throw new Error(`${statement} was not sent`);
    return found;
  };

  it('sends the items of an order in the order of their keys, and answers in the order given', () => {
    expect(callOf('cancel_items').binds.find((bind) => bind.name === 'item_ids')?.values).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(all.cancelled).toEqual([
      { kind: 'refused', itemId: 'c', status: 'CLAIMED' },
      { kind: 'changed', itemId: 'b' },
      { kind: 'unknown', itemId: 'a' },
    ]);
  });

  it('pages by the microsecond', async () => {
    expect(callOf('list_exhausted').binds.find((bind) => bind.name === 'after_at')?.values).toEqual([
      '2026-05-01T16:00:00.123000Z',
    ]);
    expect(all.page.next).toEqual({ at: '2026-05-01T16:00:00.000001Z', itemId: 'a' });
    const after = { at: 'yesterday', itemId: 'x' };
    await expect(
      offlineQueue().queue.listExhausted({ itemType: 'INVOICE', after, limit: 1 }),
    ).rejects.toMatchObject({ code: 'STORE_REFUSED' });
  });

  it('says when the count of a minute stopped at the cap', () => {
    expect(all.minutes).toEqual([{ minute: new Date('2026-05-01T16:00:00Z'), ready: 10, exact: false }]);
  });

  it('enqueues in the order of the keys and commits once, and answers in the order given', () => {
    expect(all.events.slice(0, 5)).toEqual([
      'limit 30000',
      'enqueue_items',
      'commit',
      'compare_contexts',
      'close',
    ]);
    expect(callOf('enqueue_items').binds.find((bind) => bind.name === 'item_id')?.values).toEqual(['a', 'b']);
    expect(all.outcomes.map(({ kind, itemId }) => `${itemId} ${kind}`)).toEqual([
      'b enqueued',
      'a duplicate',
    ]);
  });

  it('claims and reads what it claimed in one transaction', () => {
    const from = all.events.indexOf('claim_batch');
    expect(all.events.slice(from, from + 4)).toEqual([
      'claim_batch',
      'read_claimed_items',
      'commit',
      'close',
    ]);
  });

  it('settles in one round trip, commit included', () => {
    const settling = ['mark_dispatched', 'return_to_ready', 'release_items', 'exhaust_items', 'cancel_items'];
    for (const name of settling) expect(all.events).toContain(`${name} and commit`);
  });

  it.each(['enqueue_items', 'claim_batch', 'read_claimed_items'])(
    'commits nothing when %s fails, and gives the connection back',
    async (name) => {
      const cause = Object.assign(new Error('deadlock'), { code: 'ORA-00060' });
      const { queue, events } = offlineQueue({ [name]: cause });
      const work =
        name === 'enqueue_items'
          ? queue.enqueue([newItem('INVOICE', 'a')])
          : queue.claim({ ...claimed, limit: 5 });
      await expect(work).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', operation: name });
      expect(events).not.toContain('commit');
      expect(events.at(-1)).toBe('close');
    },
  );

  it('commits no claim of which it cannot read every item', async () => {
    const { queue, events } = offlineQueue({ read_claimed_items: { rows: [] } });
    await expect(queue.claim({ ...claimed, limit: 5 })).rejects.toThrow('1 items were claimed, but 0');
    expect(events).not.toContain('commit');
  });

  it('refuses a date that is none before anything is sent', async () => {
    const { queue, events } = offlineQueue();
    const scheduledExecTime = new Date(Number.NaN);
    await expect(queue.enqueue([newItem('INVOICE', 'a', { scheduledExecTime })])).rejects.toThrow(RangeError);
    expect(events).toEqual([]);
  });
});
