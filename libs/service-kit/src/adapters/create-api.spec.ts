import { Registry } from 'prom-client';
import { z } from 'zod';
import { createKeyRing } from '../http/key-ring.js';
import { route } from '../http/route.js';
import { createLogger } from '../log/logger.js';
import { createApi } from './express-api.js';

describe('createApi', () => {
  it('refuses schemas that would drop unknown fields, and names them', () => {
    const lax = z.strictObject({
      items: z.array(z.object({ a: z.string() })).optional(),
      any: z.looseObject({}),
    });
    const handle = async () => ({ status: 200 });
    const bad = route({ method: 'post', path: '/x', scope: 'public', summary: '', body: lax, handle });
    const log = createLogger({ service: 'demo', level: 'fatal' });
    expect(() =>
      createApi({
        name: 'demo',
        log,
        registry: new Registry(),
        keys: createKeyRing([], 'development'),
        routes: [bad],
      }),
    ).toThrow('post /x: body .items[]');
  });

  it('warns loudly when everyone is let in', async () => {
    let warned = '';
    const log = createLogger({ service: 'demo', destination: { write: (line) => void (warned += line) } });
    createApi({
      name: 'demo',
      log,
      registry: new Registry(),
      keys: createKeyRing([], 'development'),
      routes: [],
    });
    expect(warned).toContain('THE API OF DEMO IS OPEN');
  });
});
