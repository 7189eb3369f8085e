import { createFlushConfigs, createHeedNotice } from './flush-configs.js';
import type { Notice } from './ports.js';

describe('a flush', () => {
  it('forgets what this node remembers and tells the others', async () => {
    const notices: Notice[] = [];
    const flush = createFlushConfigs(
      { forgetAll: () => 3 },
      { announce: async (notice) => notices.push(notice) > 0 },
    );
    expect(await flush()).toEqual({ forgotten: 3, announced: true });
    expect(notices).toEqual([{ kind: 'flush' }]);
  });

  it('says so where there is no way to tell the others', async () => {
    const flush = createFlushConfigs({ forgetAll: () => 1 }, { announce: async () => false });
    expect(await flush()).toEqual({ forgotten: 1, announced: false });
  });
});

describe('a notice', () => {
  it('makes the node forget what it is about', () => {
    const done: string[] = [];
    const heed = createHeedNotice(
      {
        forget: (configName) => void done.push(`forget ${configName}`),
        forgetAll: () => done.push('forget all'),
      },
      { noticed: (kind) => void done.push(kind) },
    );
    heed({ kind: 'changed', configName: 'payments' });
    heed({ kind: 'flush' });
    expect(done).toEqual(['changed', 'forget payments', 'flush', 'forget all']);
  });
});
