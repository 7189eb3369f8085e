import { createGroupCommit } from './group-commit.js';

const open = new AbortController().signal;

describe('group commit', () => {
  it('answers every submission with the results of its own items', async () => {
    const { group } = makeGroup();
    const answers = await Promise.all([group.submit('a', [1, 2], open), group.submit('a', [3], open)]);
    expect(answers).toEqual([
      { kind: 'committed', results: ['a1', 'a2'] },
      { kind: 'committed', results: ['a3'] },
    ]);
  });

  it('makes one commit of what comes in while another is under way', async () => {
    const { group, commits, gate } = makeGroup();
    const release = gate();
    const first = group.submit('a', [1], open);
    await commits.reached(1);
    const others = [2, 3, 4].map((item) => group.submit('a', [item], open));
    release();
    await Promise.all([first, ...others]);
    expect(commits.made).toEqual([
      ['a', 1],
      ['a', 2, 3, 4],
    ]);
  });

  it('never splits a submission nor exceeds the size of a group', async () => {
    const { group, commits } = makeGroup({ maxGroup: 4 });
    await Promise.all([[1, 2, 3], [4, 5], [6, 7], [8]].map((items) => group.submit('a', items, open)));
    expect(commits.made).toEqual([
      ['a', 1, 2, 3],
      ['a', 4, 5, 6, 7],
      ['a', 8],
    ]);
  });

  it('does not let one lane wait for another', async () => {
    const { group, commits, gate } = makeGroup();
    const release = gate();
    const slow = group.submit('slow', [1], open);
    await commits.reached(1);
    expect(await group.submit('fast', [2], open)).toEqual({ kind: 'committed', results: ['fast2'] });
    release();
    await slow;
  });

  it('refuses what would wait beyond the limit, and takes it again when there is room', async () => {
    const { group, queued } = makeGroup({ maxQueued: 3 });
    const waiting = [group.submit('a', [1, 2], open), group.submit('b', [3], open)];
    expect(await group.submit('c', [4], open)).toEqual({ kind: 'overloaded' });
    await Promise.all(waiting);
    expect(queued.at(-1)).toBe(0);
    expect(await group.submit('c', [4], open)).toMatchObject({ kind: 'committed' });
  });

  it('rejects all submissions of a group that failed, and goes on', async () => {
    const { group, queued } = makeGroup();
    const failing = [group.submit('a', [1], open), group.submit('a', [-1], open)];
    const outcomes = await Promise.allSettled(failing);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await group.submit('a', [2], open)).toMatchObject({ kind: 'committed' });
    expect(queued.at(-1)).toBe(0);
  });

  it('leaves out submissions whose caller has gone', async () => {
    const { group, commits } = makeGroup();
    const gone = new AbortController();
    const abandoned = group.submit('a', [1], gone.signal);
    const wanted = group.submit('a', [2], open);
    gone.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    await wanted;
    expect(commits.made).toEqual([['a', 2]]);
  });

  it('refuses a submission that fits into no group', async () => {
    const { group } = makeGroup({ maxGroup: 2 });
    await expect(group.submit('a', [1, 2, 3], open)).rejects.toThrow(RangeError);
  });
});

function makeGroup(limits: { maxGroup?: number; maxQueued?: number } = {}) {
  const made: (string | number)[][] = [];
  const queued: number[] = [];
  const waiters: { count: number; resolve: () => void }[] = [];
  let gates: Promise<void>[] = [];
  const group = createGroupCommit<number, string>({
    maxGroup: 100,
    maxQueued: 1_000,
    ...limits,
    onQueued: (items) => queued.push(items),
    commit: async (lane, items) => {
      made.push([lane, ...items]);
      for (const { count, resolve } of waiters) if (made.length >= count) resolve();
      const closed = gates;
      gates = [];
      await Promise.all(closed);
      if (items.some((item) => item < 0)) throw new Error('the commit failed');
      return items.map((item) => `${lane}${item}`);
    },
  });
  return {
    group,
    queued,
    commits: {
      made,
      reached: (count: number) => new Promise<void>((resolve) => waiters.push({ count, resolve })),
    },
    /** Holds up the next commit until the returned function is called. */
    gate: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.push(promise);
      return resolve;
    },
  };
}
