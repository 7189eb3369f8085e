import type { CurrentHarness } from './harness.js';
import { newItem, newItemType, rowOf } from './harness.js';

// Instants around changes of the clocks: the hour that is missing, and the hour that comes twice.
const instants = [
  '2025-03-09T06:59:59.999Z',
  '2025-03-09T07:00:00.000Z',
  '2025-03-30T00:59:59.999Z',
  '2025-03-30T01:00:00.000Z',
  '2025-10-26T00:30:00.000Z',
  '2025-10-26T01:30:00.000Z',
  '2025-11-02T05:30:00.000Z',
  '2025-11-02T06:30:00.000Z',
];

export function describeTraps(harness: CurrentHarness): void {
  describe.each(['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Kiritimati'])(
    'sessions in %s',
    (zone) => {
      it('keep every instant, also around a change of the clocks', async () => {
        const itemType = await newItemType(harness());
        const abroad = await harness().inTimeZone(zone);
        try {
          const items = instants.map((iso) => newItem(itemType, iso, { scheduledExecTime: new Date(iso) }));
          await abroad.queue.enqueue(items);
          for (const iso of instants) {
            expect((await rowOf(harness(), itemType, iso)).scheduledExecTime.toISOString()).toBe(iso);
            const found = await abroad.queue.findItem(itemType, iso);
            expect(found?.row.scheduledExecTime.toISOString()).toBe(iso);
          }
          const minutes = await abroad.queue.measureMinutes({ itemType, minutes: 20, capPerMinute: 5 });
          expect(minutes.map(({ minute }) => minute.toISOString())).toEqual(
            instants.map((iso) => `${iso.slice(0, 16)}:00.000Z`),
          );
          const claim = await abroad.queue.claim({ itemType, token: 'A', limit: 20 });
          expect(claim.items.map((item) => item.itemId)).toEqual(instants);
          expect(claim.items.map((item) => item.scheduledExecTime.toISOString())).toEqual(instants);
        } finally {
          await abroad.close();
        }
      });

      it('agree with others about what is due, what is stale and what is old', async () => {
        const itemType = await newItemType(harness(), { preStartBufferMins: 0 });
        const abroad = await harness().inTimeZone(zone);
        const inMinutes = (minutes: number) => ({
          scheduledExecTime: new Date(Date.now() + minutes * 60_000),
        });
        try {
          await abroad.queue.enqueue([newItem(itemType, 'due', inMinutes(-1))]);
          await harness().queue.enqueue([newItem(itemType, 'early', inMinutes(2))]);
          const first = await abroad.queue.claim({ itemType, token: 'A', limit: 5 });
          expect(first.items.map((item) => item.itemId)).toEqual(['due']);
          expect(first.items[0]?.msUntilDue).toBeGreaterThan(-90_000);
          expect(first.items[0]?.msUntilDue).toBeLessThan(-59_000);
          expect((await harness().queue.claim({ itemType, token: 'B', limit: 5 })).items).toEqual([]);
          await harness().passTime(itemType, 3);
          const next = await harness().queue.claim({ itemType, token: 'B', limit: 5 });
          expect(next.items).toMatchObject([{ itemId: 'due', reclaimed: true }]);
          const failures = [{ itemId: 'due', error: 'x' }];
          await harness().queue.exhaust({ itemType, token: 'B', failures });
          const page = await abroad.queue.listExhausted({
            itemType,
            filter: { exhaustedFrom: new Date(Date.now() - 60_000) },
            after: { at: new Date(Date.now() - 60_000).toISOString(), itemId: 'x' },
            limit: 5,
          });
          expect(page.items.map((item) => item.itemId)).toEqual(['due']);
          const itemIds = ['early'];
          await abroad.queue.cancel({ itemType, itemIds, reason: 'x', by: 'ann' });
          const purge = () => abroad.queue.purgeFinished({ itemType, minAgeSeconds: 600, limit: 5 });
          expect((await purge()).items).toBe(0);
          await harness().passTime(itemType, 11);
          expect((await purge()).items).toBe(1);
        } finally {
          await abroad.close();
        }
      });
    },
  );

  describe('empty texts', () => {
    it.each(['itemId', 'contextJson', 'initWorkflowId'] as const)(
      'are refused as %s, with all items of the call',
      async (field) => {
        const itemType = await newItemType(harness());
        const items = [newItem(itemType, 'good'), { ...newItem(itemType, 'bad'), [field]: '' }];
        await expect(harness().queue.enqueue(items)).rejects.toMatchObject({
          code: 'STORE_REFUSED',
          retryable: false,
        });
        expect(await harness().queue.findItem(itemType, 'good')).toBeNull();
      },
    );

    it('are refused as a token or a name', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue([newItem(itemType, 'a')]);
      const refused = { code: 'STORE_REFUSED' };
      await expect(harness().queue.claim({ itemType, token: '', limit: 1 })).rejects.toMatchObject(refused);
      const order = { itemType, itemIds: ['a'], reason: 'x', by: '' };
      await expect(harness().queue.cancel(order)).rejects.toMatchObject(refused);
      expect((await rowOf(harness(), itemType, 'a')).status).toBe('READY');
    });

    it('say that no reason was given', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue([newItem(itemType, 'a')]);
      await harness().queue.claim({ itemType, token: 'A', limit: 1 });
      await harness().queue.exhaust({ itemType, token: 'A', failures: [{ itemId: 'a', error: '' }] });
      expect((await rowOf(harness(), itemType, 'a')).lastError).toBe('no reason was given');
    });

    it('are kept inside a context', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue([newItem(itemType, 'a', { contextJson: '""' })]);
      const { items } = await harness().queue.claim({ itemType, token: 'A', limit: 1 });
      expect(items.map((item) => item.contextJson)).toEqual(['""']);
    });
  });

  describe('texts from anywhere', () => {
    it('do not keep a failed item in its claim', async () => {
      const itemType = await newItemType(harness());
      await harness().queue.enqueue([newItem(itemType, 'a')]);
      await harness().queue.claim({ itemType, token: 'A', limit: 1 });
      const error = `NUL \0, a half pair \ud83d, and long: ${'é'.repeat(5_000)}`;
      const failures = [{ itemId: 'a', error }];
      const returned = await harness().queue.returnToReady({ itemType, token: 'A', failures });
      expect(returned).toMatchObject({ fenced: [], returned: ['a'] });
      expect((await rowOf(harness(), itemType, 'a')).lastError).toMatch(/^NUL , a half pair/);
    });
  });
}
