import type { OutboxStore, Settled, Settlement } from './ports.js';
import { settleInBatches } from './settle-in-batches.js';

function settlement(outboxId: string, token = 't'): Settlement {
  return { outboxId, participantId: 'p', token, outcome: { kind: 'executed' }, latencyMs: 1 };
}

/** Holds every write until it is let go. */
function slowStore() {
  const batches: Settlement[][] = [];
  const releases: ((error?: Error) => void)[] = [];
  const store: Pick<OutboxStore, 'settle'> = {
    settle: (settlements) =>
      new Promise((resolve, reject) => {
        batches.push([...settlements]);
        const answer = settlements.map(({ outboxId, token }): Settled => ({
          outboxId,
          token,
          kind: 'recorded',
        }));
        releases.push((error) => (error ? reject(error) : resolve(answer.reverse())));
      }),
  };
  return { store, batches, release: (error?: Error) => releases.shift()?.(error) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('writes what comes in one turn of the event loop together, and what comes meanwhile after it', async () => {
  const { store, batches, release } = slowStore();
  const settle = settleInBatches(store, 10);
  const first = settle(settlement('a'));
  await turn();
  const others = [settle(settlement('b')), settle(settlement('b', 'u')), settle(settlement('c'))];
  release();
  expect(await first).toEqual({ outboxId: 'a', token: 't', kind: 'recorded' });
  await turn();
  release();
  const answers = await Promise.all(others);
  expect(answers.map(({ outboxId, token }) => outboxId + token)).toEqual(['bt', 'bu', 'ct']);
  expect(batches.map((batch) => batch.length)).toEqual([1, 3]);
});

it('rejects a whole batch that could not be written, and goes on with the next', async () => {
  const { store, release } = slowStore();
  const settle = settleInBatches(store, 10);
  const lost = settle(settlement('a'));
  await turn();
  const next = settle(settlement('b'));
  release(new Error('away'));
  await expect(lost).rejects.toThrow('away');
  await turn();
  release();
  await next;
});

it('writes no more than its limit at once', async () => {
  const { store, batches, release } = slowStore();
  const settle = settleInBatches(store, 2);
  const all = ['a', 'b', 'c', 'd', 'e'].map((id) => settle(settlement(id)));
  for (let n = 0; n < 4; n += 1) {
    await turn();
    release();
  }
  await Promise.all(all);
  expect(batches.map((batch) => batch.length)).toEqual([2, 2, 1]);
});
