import { createRoutes } from './routes.js';

// Routes do nothing until they are asked, so that they can be looked at without what they need.
const routes = createRoutes({} as never);

describe('the routes of the dispatcher', () => {
  it.each(routes.map((one) => [`${one.method} ${one.path}`, one] as const))(
    '%s says who may call it and what it answers',
    (_name, one) => {
      expect(one.scope).toMatch(one.path === '/openapi.json' ? /^public$/ : /^dispatch:(read|admin)$/);
      if (one.method !== 'get') expect(one.scope).toBe('dispatch:admin');
      const answers = Object.values(one.answers ?? {});
      expect(answers.length).toBeGreaterThan(0);
      expect(answers.every(({ schema }) => schema !== undefined)).toBe(true);
      if (one.scope !== 'public') {
        expect(one.problems?.map(({ code }) => code)).toContain('QUEUE_UNAVAILABLE');
      }
    },
  );

  it('have one owner for each method and path', () => {
    const names = routes.map((one) => `${one.method} ${one.path}`);
    expect(new Set(names).size).toBe(names.length);
  });
});
