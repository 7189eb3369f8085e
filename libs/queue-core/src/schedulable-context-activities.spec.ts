import { QueueStoreError } from './errors.js';
import type { EnqueueOutcome, NewItem } from './ports.js';
import { createSchedulableContextActivities } from './schedulable-context-activities.js';

const item = (itemId: string) => ({
  itemId,
  contextJson: `"${itemId}"`,
  scheduledExecTime: '2026-05-01T16:00:00+02:00',
});

describe('saveContextAndEnqueue', () => {
  it('enqueues all items in one call and reports counts and conflicts', async () => {
    const calls: (readonly NewItem[])[] = [];
    const kinds: EnqueueOutcome['kind'][] = ['enqueued', 'duplicate', 'conflict'];
    const activities = createSchedulableContextActivities({
      enqueue: (items) => {
        calls.push(items);
        return Promise.resolve(items.map((one, index) => ({ ...one, kind: kinds[index] ?? 'enqueued' })));
      },
    });
    const report = await activities.saveContextAndEnqueue(
      'INVOICE',
      [item('a'), item('b'), item('c')],
      'init-1',
    );
    expect(report).toEqual({ enqueued: 1, duplicates: 1, conflicts: ['c'] });
    expect(calls).toHaveLength(1);
    expect(calls[0]?.[0]).toEqual({
      itemType: 'INVOICE',
      itemId: 'a',
      contextJson: '"a"',
      contextVersion: 1,
      scheduledExecTime: new Date('2026-05-01T14:00:00Z'),
      initWorkflowId: 'init-1',
    });
  });

  it('fails for good on a time that is none and on a refusal of the store', async () => {
    const refusing = createSchedulableContextActivities({
      enqueue: () =>
        Promise.reject(
          new QueueStoreError({ code: 'STORE_REFUSED', operation: 'enqueue_items', cause: new Error('no') }),
        ),
    });
    const wrongTime = { ...item('a'), scheduledExecTime: 'at four' };
    await expect(refusing.saveContextAndEnqueue('INVOICE', [wrongTime], 'i')).rejects.toMatchObject({
      nonRetryable: true,
      type: 'INVALID_SCHEDULED_TIME',
    });
    await expect(refusing.saveContextAndEnqueue('INVOICE', [item('a')], 'i')).rejects.toMatchObject({
      nonRetryable: true,
      type: 'STORE_REFUSED',
    });
  });

  it('leaves a store that is away to be tried again', async () => {
    const away = new QueueStoreError({
      code: 'STORE_UNAVAILABLE',
      operation: 'enqueue_items',
      cause: new Error('away'),
    });
    const activities = createSchedulableContextActivities({ enqueue: () => Promise.reject(away) });
    await expect(activities.saveContextAndEnqueue('INVOICE', [item('a')], 'i')).rejects.toBe(away);
  });
});
