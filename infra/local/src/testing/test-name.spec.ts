import { testNameOf } from './test-name.js';

describe('the name of a test file', () => {
  it('fits topics, task queues and databases', () => {
    const name = testNameOf(
      '/repo/libs/queue-core/src/adapters/A-very.Long-name-of-a-file-that-goes-on.int.spec.ts',
      'a1b2c3',
    );
    expect(name).toMatch(/^[a-z][a-z0-9_]{0,62}$/);
  });

  it('differs for files of the same name, and from run to run', () => {
    const names = [
      testNameOf('/repo/apps/ingest/src/main.int.spec.ts', 'a1b2c3'),
      testNameOf('/repo/apps/dispatcher/src/main.int.spec.ts', 'a1b2c3'),
      testNameOf('/repo/apps/ingest/src/main.int.spec.ts', 'd4e5f6'),
    ];
    expect(new Set(names).size).toBe(3);
  });
});
