import { createProgressWatch, totalLag } from './watch-progress.js';

const at = (partition: number, committed: number, end: number) => ({
  partition,
  committed: BigInt(committed),
  end: BigInt(end),
});
const idle = () => false;

describe('createProgressWatch', () => {
  function setUp() {
    let now = 0;
    const watch = createProgressWatch({ now: () => now, patienceMs: 60_000 });
    return { watch, pass: (ms: number) => void (now += ms) };
  }

  it('finds a partition that has messages and takes none in for too long', () => {
    const { watch, pass } = setUp();
    expect(watch.stuck([at(0, 5, 9), at(1, 5, 5)], idle)).toEqual([]);
    pass(59_000);
    expect(watch.stuck([at(0, 5, 9), at(1, 5, 5)], idle)).toEqual([]);
    pass(1_000);
    expect(watch.stuck([at(0, 5, 12), at(1, 5, 5)], idle)).toEqual([0]);
  });

  it('is patient with one that moves, however slowly, and with one that is being handled', () => {
    const { watch, pass } = setUp();
    for (let committed = 0; committed < 5; committed += 1) {
      expect(watch.stuck([at(0, committed, 100), at(1, 0, 100)], (one) => one === 1)).toEqual([]);
      pass(50_000);
    }
  });

  it('counts from when there was something to take in, not from the last movement', () => {
    const { watch, pass } = setUp();
    watch.stuck([at(0, 5, 5)], idle);
    pass(600_000);
    watch.stuck([at(0, 5, 5)], idle);
    pass(1_000);
    expect(watch.stuck([at(0, 5, 6)], idle)).toEqual([]);
  });
});

describe('totalLag', () => {
  it('adds up what is left in all partitions', () => {
    expect(totalLag([at(0, 5, 9), at(1, 5, 5), at(2, 7, 6)])).toBe(4);
  });
});
