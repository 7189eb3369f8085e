import { cacheFolder, cacheKey } from './cache.js';

describe('the cache', () => {
  it('lies where XDG_CACHE_HOME says', () => {
    expect(cacheFolder({ XDG_CACHE_HOME: '/somewhere' })).toBe('/somewhere/sluice');
  });

  it('lies in the home folder otherwise', () => {
    expect(cacheFolder({ XDG_CACHE_HOME: '' })).toMatch(/\/\.cache\/sluice$/);
  });

  it('keeps versions and kinds of machines apart', () => {
    expect(cacheKey('kafka', '4.1.1', { platform: 'linux', arch: 'arm64' })).toBe('kafka-4.1.1-linux-arm64');
  });
});
