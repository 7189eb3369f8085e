import { createGroupCommit } from './group-commit.js';
import type { GroupCommitOptions } from './group-commit.js';

const open = new AbortController().signal;

describe('group commit', () => {
  it('answers every submission with the results of its own items', async () => {
    const { submit } = makeGroup();
    expect(await Promise.all([submit('a', [1, 2]), submit('a', [3])])).toEqual([
      { kind: 'committed', results: ['a1', 'a2'] },
      { kind: 'committed', results: ['a3'] },
    ]);
  });

  it('makes one commit of what comes in while another is under way', async () => {
    const { submit, commits, gate } = makeGroup();
    const release = gate();
    const first = submit('a', [1]);
    await commits.reached(1);
    const others = [2, 3, 4].map((item) => submit('a', [item]));
    release();
    await Promise.all([first, ...others]);
    expect(commits.made).toEqual([
      ['a', 1],
      ['a', 2, 3, 4],
    ]);
  });

  it('sends a second commit beside the first when a whole group waits, and no third', async () => {
    const { submit, commits, gate } = makeGroup({ maxGroup: 2 });
    const release = [gate(), gate()];
    const all = [submit('a', [1])];
    await commits.reached(1);
    all.push(...[2, 3, 4, 5, 6].map((item) => submit('a', [item])));
    await commits.reached(2);
    await turns();
    expect(commits.made).toEqual([
      ['a', 1],
      ['a', 2, 3],
    ]);
    for (const open of release) open();
    await Promise.all(all);
    expect(commits.made.slice(2)).toEqual([
      ['a', 4, 5],
      ['a', 6],
    ]);
  });

  it('never splits a submission nor exceeds the size of a group', async () => {
    const { submit, commits } = makeGroup({ maxGroup: 4 });
    await Promise.all([[1, 2, 3], [4, 5], [6, 7], [8]].map((items) => submit('a', items)));
    expect(commits.made).toEqual([
      ['a', 1, 2, 3],
      ['a', 4, 5, 6, 7],
      ['a', 8],
    ]);
  });

  it('does not let one lane wait for another', async () => {
    const { submit, commits, gate } = makeGroup();
    const release = gate();
    const slow = submit('slow', [1]);
    await commits.reached(1);
    expect(await submit('fast', [2])).toEqual({ kind: 'committed', results: ['fast2'] });
    release();
    await slow;
  });

  it('refuses a submission that fits into no group', async () => {
    const { submit } = makeGroup({ maxGroup: 2 });
    await expect(submit('a', [1, 2, 3])).rejects.toThrow(RangeError);
  });
});

describe('a full queue', () => {
  it('refuses what would wait beyond the limit, and takes it again when there is room', async () => {
    const { submit, queued } = makeGroup({ maxQueued: 3 });
    const waiting = [submit('a', [1, 2]), submit('b', [3])];
    expect(await submit('c', [4])).toEqual({ kind: 'overloaded' });
    await Promise.all(waiting);
    expect(queued.at(-1)).toBe(0);
    expect(await submit('c', [4])).toMatchObject({ kind: 'committed' });
  });

  it('refuses one caller and goes on serving the others', async () => {
    const { submit } = makeGroup({ maxQueuedOfCaller: 2 });
    const waiting = submit('a', [1, 2], { caller: 'greedy' });
    expect(await submit('a', [3], { caller: 'greedy' })).toEqual({ kind: 'caller-overloaded' });
    expect(await submit('a', [4], { caller: 'modest' })).toMatchObject({ kind: 'committed' });
    await waiting;
    expect(await submit('a', [3], { caller: 'greedy' })).toMatchObject({ kind: 'committed' });
  });

  it('refuses what has waited too long, and commits nothing of it', async () => {
    const clock = { now: 0 };
    const { submit, commits, gate, queued } = makeGroup({ now: () => clock.now, maxWaitMs: 50 });
    const release = gate();
    const first = submit('a', [1]);
    await commits.reached(1);
    const late = submit('a', [2]);
    clock.now = 50;
    // By the timer of the lane, while the first is still under way.
    expect(await late).toEqual({ kind: 'overloaded' });
    expect(queued.at(-1)).toBe(1);
    release();
    expect(await first).toMatchObject({ kind: 'committed' });
    expect(commits.made).toEqual([['a', 1]]);
  });
});

describe('a failed commit', () => {
  it('is told to all submissions of its group, and the lane goes on', async () => {
    const { submit, queued } = makeGroup();
    const outcomes = await Promise.allSettled([submit('a', [1]), submit('a', [-1])]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await submit('a', [2])).toMatchObject({ kind: 'committed' });
    expect(queued.at(-1)).toBe(0);
  });

  it('is repeated one by one where some item is to blame, so that only its own submission fails', async () => {
    const { submit, commits } = makeGroup({ isFaultOfItems: () => true });
    const outcomes = await Promise.allSettled([[1], [-1], [2]].map((items) => submit('a', items)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(commits.made).toEqual([
      ['a', 1, -1, 2],
      ['a', 1],
      ['a', -1],
      ['a', 2],
    ]);
  });
});

describe('a caller that goes away', () => {
  it('is left out of the group as long as it waits, and the others are served', async () => {
    const { submit, commits, queued } = makeGroup();
    const gone = new AbortController();
    const abandoned = submit('a', [1], { signal: gone.signal });
    const wanted = submit('a', [2]);
    gone.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    expect(await wanted).toEqual({ kind: 'committed', results: ['a2'] });
    expect(commits.made).toEqual([['a', 2]]);
    expect(queued.at(-1)).toBe(0);
  });

  it('takes nothing from the others when the commit is under way', async () => {
    const { submit, commits, gate, queued } = makeGroup();
    const release = gate();
    const gone = new AbortController();
    const abandoned = submit('a', [1], { signal: gone.signal });
    const wanted = submit('a', [2]);
    await commits.reached(1);
    gone.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    release();
    expect(await wanted).toEqual({ kind: 'committed', results: ['a2'] });
    expect(queued.at(-1)).toBe(0);
  });

  it('is not taken in when it has gone already', async () => {
    const { submit, commits } = makeGroup();
    await expect(submit('a', [1], { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
    expect(commits.made).toEqual([]);
  });
});

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function makeGroup(changes: Partial<GroupCommitOptions<number, string>> = {}) {
  const made: (string | number)[][] = [];
  const queued: number[] = [];
  const waiters: { count: number; resolve: () => void }[] = [];
  const gates: Promise<void>[] = [];
  const group = createGroupCommit<number, string>({
    maxGroup: 100,
    maxQueued: 1_000,
    maxQueuedOfCaller: 1_000,
    maxWaitMs: 60_000,
    now: () => 0,
    isFaultOfItems: () => false,
    ...changes,
    onQueued: (items) => queued.push(items),
    commit: async (lane, items) => {
      made.push([lane, ...items]);
      for (const { count, resolve } of waiters) if (made.length >= count) resolve();
      await gates.shift();
      if (items.some((item) => item < 0)) throw new Error('the commit failed');
      return items.map((item) => `${lane}${item}`);
    },
  });
  return {
    submit: (lane: string, items: number[], options: { caller?: string; signal?: AbortSignal } = {}) =>
      group.submit({ lane, caller: options.caller ?? 'caller', items }, options.signal ?? open),
    queued,
    commits: {
      made,
      reached: (count: number) =>
        new Promise<void>((resolve) => {
          if (made.length >= count) resolve();
          else waiters.push({ count, resolve });
        }),
    },
    /** Holds up the next commit that has no gate yet until the returned function is called. */
    gate: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gates.push(promise);
      return resolve;
    },
  };
}
