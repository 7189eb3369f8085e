import { cacheConfigs } from './cache-configs.js';
import type { RateConfig } from './ports.js';

const config: RateConfig = {
  configName: 'a',
  version: 1,
  maxPerWindow: 10,
  windowSizeMs: 4_000,
  maxDelayMs: 0,
  spread: 'even',
  calendar: null,
};

describe('the memory of rate limits', () => {
  it('asks the database once in its time to live', async () => {
    const { cache, asked, advance } = makeCache(async () => config);
    expect([await cache.find('a'), await cache.find('a')]).toEqual([config, config]);
    advance(4_999);
    await cache.find('a');
    expect(asked).toHaveLength(1);
    advance(1);
    await cache.find('a');
    expect(asked).toHaveLength(2);
  });

  it('shares one query between lookups at the same time', async () => {
    const { cache, asked } = makeCache(async () => config);
    await Promise.all([cache.find('a'), cache.find('a'), cache.find('b')]);
    expect(asked).toEqual(['a', 'b']);
  });

  it('does not remember that a name is unknown', async () => {
    const { cache, asked } = makeCache(async () => undefined);
    expect(await cache.find('a')).toBeUndefined();
    await cache.find('a');
    expect(asked).toHaveLength(2);
  });

  it('does not remember a failure', async () => {
    const { cache, asked } = makeCache(async () => Promise.reject(new Error('away')));
    await expect(cache.find('a')).rejects.toThrow('away');
    await expect(cache.find('a')).rejects.toThrow('away');
    expect(asked).toHaveLength(2);
  });

  it('asks again for a name that it was told to forget', async () => {
    const { cache, asked } = makeCache(async () => config);
    await cache.find('a');
    cache.forget('a');
    await cache.find('a');
    expect(asked).toHaveLength(2);
  });

  it('asks again for every name after a flush, and says how many it had', async () => {
    const { cache, asked } = makeCache(async () => config);
    await Promise.all([cache.find('a'), cache.find('b')]);
    expect(cache.forgetAll()).toBe(2);
    await Promise.all([cache.find('a'), cache.find('b')]);
    expect(asked).toEqual(['a', 'b', 'a', 'b']);
    expect(cache.forgetAll()).toBe(2);
    expect(cache.forgetAll()).toBe(0);
  });

  it('does not remember the answer to a query that was under way when it was told to forget', async () => {
    const old = Promise.withResolvers<RateConfig>();
    const answers = [old.promise, Promise.resolve({ ...config, version: 2 })];
    const { cache } = makeCache(async () => answers.shift());
    const early = cache.find('a');
    cache.forget('a');
    old.resolve(config);
    expect(await early).toEqual(config);
    expect(await cache.find('a')).toMatchObject({ version: 2 });
    expect(await cache.find('a')).toMatchObject({ version: 2 });
  });
});

function makeCache(findActive: () => Promise<RateConfig | undefined>) {
  const asked: string[] = [];
  let time = 0;
  const cache = cacheConfigs({
    configs: {
      findActive: (configName) => {
        asked.push(configName);
        return findActive();
      },
    },
    ttlMs: 5_000,
    now: () => time,
    observer: { configLookedUp: () => undefined },
  });
  return { cache, asked, advance: (ms: number) => (time += ms) };
}
