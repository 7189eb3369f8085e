import { gather } from './gather.js';

/** Work that is done when the test says so. */
function createWork() {
  const calls: { items: readonly number[]; finish: () => void; fail: () => void }[] = [];
  const work = (items: readonly number[]) =>
    new Promise<readonly string[]>((resolve, reject) => {
      calls.push({
        items,
        finish: () => resolve(items.map((item) => `done ${item}`)),
        fail: () => reject(new Error('failed')),
      });
    });
  return { calls, work };
}

describe('gather', () => {
  it('begins at once, and does what came meanwhile together, each caller getting its own answers', async () => {
    const { calls, work } = createWork();
    const gathered = gather(work, 10);
    const answers = [gathered([1]), gathered([2, 3]), gathered([4])];
    expect(calls.map(({ items }) => items)).toEqual([[1]]);
    calls[0]?.finish();
    await answers[0];
    expect(calls[1]?.items).toEqual([2, 3, 4]);
    calls[1]?.finish();
    expect(await Promise.all(answers)).toEqual([['done 1'], ['done 2', 'done 3'], ['done 4']]);
  });

  it('takes no more at once than it may, but always one caller whole', async () => {
    const { calls, work } = createWork();
    const gathered = gather(work, 2);
    const answers = [gathered([1]), gathered([2, 3, 4]), gathered([5]), gathered([6])];
    for (const expected of [[1], [2, 3, 4], [5, 6]]) {
      const call = calls.at(-1);
      expect(call?.items).toEqual(expected);
      call?.finish();
      await new Promise(setImmediate);
    }
    await Promise.all(answers);
  });

  it('fails for all that shared it, and goes on', async () => {
    const { calls, work } = createWork();
    const gathered = gather(work, 10);
    const failed = [gathered([1])];
    calls[0]?.fail();
    expect((await Promise.allSettled(failed)).map(({ status }) => status)).toEqual(['rejected']);
    const next = gathered([2]);
    calls[1]?.finish();
    expect(await next).toEqual(['done 2']);
  });
});
