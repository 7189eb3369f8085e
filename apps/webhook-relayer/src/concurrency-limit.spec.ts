import { createLogger } from '@sluice/service-kit';
import { createLocalLimit, shareOf, withLocalFallback } from './concurrency-limit.js';
import type { ConcurrencyLimit } from './ports.js';

const log = createLogger({ service: 'test', level: 'silent' });

describe('createLocalLimit', () => {
  it('grants as many permits as it may for each subscription, and again after a release', async () => {
    const limit = createLocalLimit(2);
    const first = await limit.acquire('a');
    expect(first && (await limit.acquire('a'))).toBeDefined();
    await expect(limit.acquire('a')).resolves.toBeUndefined();
    expect(await limit.acquire('b')).toBeDefined();
    await first?.release();
    expect(await limit.acquire('a')).toBeDefined();
  });
});

describe('shareOf', () => {
  it.each([
    [16, 1, 16],
    [16, 3, 5],
    [2, 5, 1],
  ])('%d over %d instances is %d each', (limit, instances, share) => {
    expect(shareOf(limit, instances)).toBe(share);
  });
});

describe('withLocalFallback', () => {
  it('goes on under the local limit while the shared one is away, and tells of both changes once', async () => {
    let away = false;
    const shared: ConcurrencyLimit = {
      acquire: () => (away ? Promise.reject(new Error('away')) : Promise.resolve(undefined)),
    };
    const changes: boolean[] = [];
    const limit = withLocalFallback({
      shared,
      local: createLocalLimit(1),
      log,
      onChange: (now) => changes.push(now),
    });
    await expect(limit.acquire('a')).resolves.toBeUndefined();
    away = true;
    expect(await limit.acquire('a')).toBeDefined();
    await expect(limit.acquire('a')).resolves.toBeUndefined();
    away = false;
    await expect(limit.acquire('a')).resolves.toBeUndefined();
    expect(changes).toEqual([true, false]);
  });
});
