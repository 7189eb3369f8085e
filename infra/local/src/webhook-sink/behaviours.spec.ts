import { behaviourSchema, covers, createBehaviours } from './behaviours.js';

describe('covers', () => {
  it.each([
    ['/hooks/a', '/hooks/a', true],
    ['/hooks/a', '/hooks/a/b', true],
    ['/hooks/a', '/hooks/ab', false],
    ['/hooks/a/b', '/hooks/a', false],
    ['/hooks', '/hooks/a', true],
  ])('%s covers %s: %s', (path, requested, expected) => {
    expect(covers(path, requested)).toBe(expected);
  });
});

describe('createBehaviours', () => {
  const take = (behaviours: ReturnType<typeof createBehaviours>, path: string) =>
    behaviours.take((one) => covers(one.path, path), 'request')?.status;

  it('prefers the longest path', () => {
    const behaviours = createBehaviours();
    behaviours.replace('', [
      { path: '/hooks', status: 500 },
      { path: '/hooks/a/b', status: 410 },
      { path: '/hooks/a', status: 429 },
    ]);
    const statuses = ['/hooks/x', '/hooks/a', '/hooks/a/b/c'].map((path) => take(behaviours, path));
    expect(statuses).toEqual([500, 429, 410]);
  });

  it('goes through behaviours of one path in their order as each is used up, then to the shorter path', () => {
    const behaviours = createBehaviours();
    behaviours.replace('', [
      { path: '/hooks/a', status: 500, times: 2 },
      { path: '/hooks/a', status: 429, times: 1 },
      { path: '/hooks', status: 202 },
    ]);
    const statuses = Array.from({ length: 5 }, () => take(behaviours, '/hooks/a'));
    expect(statuses).toEqual([500, 500, 429, 202, 202]);
  });
});

describe('behaviourSchema', () => {
  it('drops a slash at the end of the path', () => {
    expect(behaviourSchema.parse({ path: '/hooks/a/' })).toEqual({ path: '/hooks/a' });
  });

  it.each([
    [{}, 'path'],
    [{ path: '/other' }, 'path'],
    [{ path: '/hooksy' }, 'path'],
    [{ path: '/hooks', status: 99 }, 'status'],
    [{ path: '/hooks', retryAfterSeconds: -1 }, 'retryAfterSeconds'],
    [{ path: '/hooks', silent: true, status: 200 }, 'silent'],
    [{ path: '/hooks', delayMs: 'long' }, 'delayMs'],
  ])('refuses %j because of %s', (behaviour, field) => {
    expect(behaviourSchema.safeParse(behaviour).error?.issues[0]?.path).toEqual([field]);
  });
});
