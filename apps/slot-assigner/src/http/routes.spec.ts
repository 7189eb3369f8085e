import { createRoutes } from './routes.js';

// Routes do nothing until they are asked, so that they can be looked at without what they need.
const routes = createRoutes({ store: {}, limits: {} } as never);

const writes = new Set(['post /api/v1/slots', 'post /api/v1/slots/batch', 'delete /api/v1/slots/:eventId']);

describe('the routes of slot-assigner', () => {
  it.each(routes.map((one) => [`${one.method} ${one.path}`, one] as const))(
    '%s says who may call it and what it answers',
    (name, one) => {
      const expected = name.includes('/admin/')
        ? one.method === 'get'
          ? 'rate-limit:read'
          : 'rate-limit:admin'
        : writes.has(name)
          ? 'slots:write'
          : 'slots:read';
      expect(one.scope).toBe(one.path === '/openapi.json' ? 'public' : expected);
      const answers = Object.values(one.answers ?? {});
      expect(answers.length).toBeGreaterThan(0);
      expect(answers.every(({ schema }) => schema !== undefined)).toBe(true);
      if (one.scope !== 'public') {
        expect(one.problems?.map(({ code }) => code)).toContain('SLOT_STORE_UNAVAILABLE');
      }
    },
  );

  it('have one owner for each method and path', () => {
    const names = routes.map((one) => `${one.method} ${one.path}`);
    expect(new Set(names).size).toBe(names.length);
  });
});
