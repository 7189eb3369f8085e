import { createRoutes } from './routes.js';

// Routes do nothing until they are asked, so that they can be looked at without what they need.
const routes = createRoutes({} as never);

describe('the routes of the exec-worker', () => {
  it.each(routes.map((one) => [`${one.method} ${one.path}`, one] as const))(
    '%s says who may call it and what it answers',
    (_name, one) => {
      expect(one.scope).toMatch(/^(public|outbox:read|outbox:admin|rails:notify)$/);
      if (one.method !== 'get') expect(one.scope).toMatch(/^(outbox:admin|rails:notify)$/);
      const answers = Object.values(one.answers ?? {});
      expect(answers.length).toBeGreaterThan(0);
      expect(answers.every(({ schema }) => schema !== undefined)).toBe(true);
    },
  );

  it('have one owner for each method and path', () => {
    const names = routes.map((one) => `${one.method} ${one.path}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('let nobody change anything without a reason, except the rail', () => {
    for (const { body, scope, path } of routes) {
      if (body === undefined || scope !== 'outbox:admin') continue;
      const issues = body.safeParse({}).error?.issues ?? [];
      expect({
        path,
        asked: issues.some((issue) => ['reason', 'outcome'].includes(String(issue.path[0]))),
      }).toEqual({
        path,
        asked: true,
      });
    }
  });
});
