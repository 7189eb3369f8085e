import { createGroupCommit } from './group-commit.js';

/** A disk whose syncs end when the test says so. */
function slowDisk() {
  const batches: string[][] = [];
  const syncs: { resolve(): void; reject(error: Error): void }[] = [];
  return {
    batches,
    commit: (items: readonly string[]) => {
      batches.push([...items]);
      return new Promise<void>((resolve, reject) => syncs.push({ resolve, reject }));
    },
    sync: () => syncs.shift()?.resolve(),
    breakDown: () => syncs.shift()?.reject(new Error('EIO')),
  };
}

describe('createGroupCommit', () => {
  it('lets items that arrive during a commit share the next one, in order', async () => {
    const disk = slowDisk();
    const commits = createGroupCommit({ commit: disk.commit, maxWaiting: 10 });
    const first = commits.add('a');
    const others = [commits.add('b'), commits.add('c'), commits.add('d')];
    disk.sync();
    await first;
    disk.sync();
    await Promise.all(others);
    expect(disk.batches).toEqual([['a'], ['b', 'c', 'd']]);
  });

  it('resolves an item only after its own commit', async () => {
    const disk = slowDisk();
    const commits = createGroupCommit({ commit: disk.commit, maxWaiting: 10 });
    const events: string[] = [];
    const first = commits.add('a').then(() => events.push('a is committed'));
    const second = commits.add('b').then(() => events.push('b is committed'));
    disk.sync();
    await first;
    events.push('second sync');
    disk.sync();
    await second;
    expect(events).toEqual(['a is committed', 'second sync', 'b is committed']);
  });

  it('refuses what goes beyond its bound, and takes items again afterwards', async () => {
    const disk = slowDisk();
    const commits = createGroupCommit({ commit: disk.commit, maxWaiting: 1 });
    const first = commits.add('a');
    const second = commits.add('b');
    await expect(commits.add('c')).rejects.toMatchObject({ code: 'LEDGER_FULL' });
    disk.sync();
    await first;
    const third = commits.add('d');
    disk.sync();
    await second;
    disk.sync();
    await third;
    expect(disk.batches).toEqual([['a'], ['b'], ['d']]);
  });

  it('refuses everything after a failed commit, what was waiting included', async () => {
    const disk = slowDisk();
    const commits = createGroupCommit({ commit: disk.commit, maxWaiting: 10 });
    const outcomes = Promise.allSettled([commits.add('a'), commits.add('b')]);
    disk.breakDown();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(commits.add('c')).rejects.toMatchObject({ code: 'LEDGER_FAILED' });
    expect(commits.failure()).toMatchObject({ code: 'LEDGER_FAILED' });
    expect(disk.batches).toEqual([['a']]);
  });

  it('drains what waits', async () => {
    const disk = slowDisk();
    const commits = createGroupCommit({ commit: disk.commit, maxWaiting: 10 });
    const done: string[] = [];
    const first = commits.add('a').then(() => done.push('a'));
    const second = commits.add('b').then(() => done.push('b'));
    const drained = commits.drain().then(() => done.push('drained'));
    disk.sync();
    await first;
    disk.sync();
    await Promise.all([second, drained]);
    expect(done).toEqual(['a', 'b', 'drained']);
  });
});
