import { createRoutes } from './routes.js';

// Routes do nothing until they are asked, so that they can be looked at without what they need.
const routes = createRoutes({} as never);
const unauthenticated = ['/health', '/openapi.json', '/asyncapi.json'];

describe('the routes of webhook-relayer', () => {
  it.each(routes.map((one) => [`${one.method} ${one.path}`, one] as const))(
    '%s says who may call it and what it answers',
    (_name, one) => {
      const isPublic = unauthenticated.includes(one.path);
      expect(one.scope).toMatch(isPublic ? /^public$/ : /^(events|subscriptions):(read|write)$/);
      if (one.method !== 'get') expect(one.scope).toMatch(/:write$/);
      const answers = Object.entries(one.answers ?? {});
      expect(answers.length).toBeGreaterThan(0);
      for (const [status, { schema }] of answers) expect(schema === undefined).toBe(status === '204');
      if (!isPublic) expect(one.problems?.map(({ code }) => code)).toContain('STORE_UNAVAILABLE');
    },
  );

  it('have one owner for each method and path', () => {
    const names = routes.map((one) => `${one.method} ${one.path}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('show a secret nowhere but where one is made', () => {
    const showing = routes.filter((one) =>
      Object.values(one.answers ?? {}).some(
        ({ schema }) => schema !== undefined && 'shape' in schema && 'secret' in (schema.shape as object),
      ),
    );
    expect(showing.map(({ path }) => path)).toEqual(['/subscriptions', '/subscriptions/:id/rotate-secret']);
  });
});
