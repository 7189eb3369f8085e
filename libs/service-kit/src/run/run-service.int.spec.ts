import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const project = join(__dirname, '..', '..');

/** A real service on the built kit. `/slow` answers when the service has been told to stop, `/later` never. */
const SERVICE = `
const { z } = require('zod');
const { runService, serviceVariables } = require('./dist/index.js');
const { createApi, createKeyRing, route } = require('./dist/http.js');
const stopped = Promise.withResolvers();
const mode = process.env.MODE;
runService({
  name: 'demo',
  version: '9.9.9',
  environment: z.object(serviceVariables({ httpPort: 0, opsPort: 0 })),
  compose: ({ config, log, registry }) => {
    const slow = async () => { log.info('slow has begun'); await stopped.promise; return { status: 200, body: 'finished' }; };
    const routes = [route({ method: 'get', path: '/slow', scope: 'public', summary: '', handle: slow })];
    const keys = createKeyRing(config.SLUICE_API_KEYS, config.SLUICE_ENV);
    const run = (signal) => new Promise((resolve) => signal.addEventListener('abort', () => {
      setTimeout(stopped.resolve, 300);
      if (mode !== 'stuck') stopped.promise.then(resolve);
    }));
    if (mode === 'rejection') setTimeout(() => void Promise.reject(new Error('forgotten')), 50);
    if (mode === 'exception') setTimeout(() => { throw new Error('thrown'); }, 50);
    return {
      api: { listener: createApi({ name: 'demo', log, registry, keys, routes }), port: config.SLUICE_HTTP_PORT },
      workers: [{ name: 'drainer', maxBeatMs: 60000, run }],
      dependencies: [{ name: 'nothing', check: async () => {} }],
      close: [{ name: 'pool', close: async () => log.info('pool closed') }],
    };
  },
});
`;

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

function start(env: Record<string, string> = {}, ...args: string[]) {
  const child = spawn(process.execPath, ['--eval', SERVICE, '--', ...args], {
    cwd: project,
    env: { SLUICE_ENV: 'development', SLUICE_HTTP_HOST: '127.0.0.1', SLUICE_DRAIN_SECONDS: '10', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const seen = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (seen.out += String(chunk)));
  child.stderr.on('data', (chunk) => (seen.err += String(chunk)));
  const exit = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code as number;
  });
  const logged = async (text: string): Promise<string> => {
    for (;;) {
      const line = seen.out.split('\n').find((one) => one.includes(text));
      if (line !== undefined) return line;
      const over = await Promise.race([once(child.stdout, 'data').then(() => false), exit.then(() => true)]);
      if (over && !seen.out.includes(text))
        throw new Error(`"${text}" was never logged:\n${seen.out}${seen.err}`);
    }
  };
  const portIn = async (text: string): Promise<number> =>
    (JSON.parse(await logged(text)) as { port: number }).port;
  return { child, seen, exit, logged, portIn };
}

async function statusOf(port: number, path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  await response.arrayBuffer();
  return response.status;
}

describe('a service as a real process', () => {
  it('answers its ops endpoints, drains on SIGTERM and exits 0', async () => {
    const { child, exit, logged, portIn, seen } = start();
    const [ops, api] = [await portIn('the ops port listens'), await portIn('the API listens')];
    await logged('demo is running');
    expect(await Promise.all(['/healthz', '/readyz', '/metrics'].map((path) => statusOf(ops, path)))).toEqual(
      [200, 200, 200],
    );

    const slow = fetch(`http://127.0.0.1:${api}/slow`);
    await logged('slow has begun');
    child.kill('SIGTERM');
    await logged('stopping');
    expect([await statusOf(ops, '/readyz'), await statusOf(ops, '/healthz')]).toEqual([503, 200]);
    await expect(fetch(`http://127.0.0.1:${api}/slow`)).rejects.toThrow();
    const answer = await slow;
    expect([await answer.json(), answer.headers.get('connection')]).toEqual(['finished', 'close']);
    expect(await exit).toBe(0);
    expect(seen.out.indexOf('pool closed')).toBeGreaterThan(seen.out.indexOf('"msg":"drained"'));
  });

  it('exits 1 after the deadline and names the worker that hangs', async () => {
    const { child, exit, logged, seen } = start({ MODE: 'stuck', SLUICE_DRAIN_SECONDS: '1' });
    await logged('demo is running');
    child.kill('SIGTERM');
    expect(await exit).toBe(1);
    expect(seen.out).toContain('did not stop: worker drainer (did not stop in time)');
    expect(seen.out).toContain('pool closed');
  });

  it('exits at once on the second signal', async () => {
    const { child, exit, logged } = start({ MODE: 'stuck', SLUICE_DRAIN_SECONDS: '3600' });
    await logged('demo is running');
    child.kill('SIGTERM');
    await logged('stopping');
    child.kill('SIGINT');
    expect(await exit).toBe(1);
  });

  it.each([
    ['rejection', 'forgotten'],
    ['exception', 'thrown'],
  ])('stops in order and exits 1 on an uncaught %s', async (mode, message) => {
    const { exit, seen } = start({ MODE: mode });
    expect(await exit).toBe(1);
    expect(seen.out).toMatch(new RegExp(`"level":"fatal".*${message}`));
    expect(seen.out).toContain('pool closed');
  });

  it('does not start with a wrong or missing variable, and tells them all', async () => {
    const { exit, seen } = start({ SLUICE_ENV: 'production', SLUICE_OPS_PORT: 'ops', SLUICE_HTTPPORT: '1' });
    expect(await exit).toBe(1);
    expect(seen.err).toBe(
      [
        'demo cannot start: 3 problems in the environment',
        '  SLUICE_OPS_PORT  expected a whole number 0..65535, found "ops"',
        '  SLUICE_API_KEYS  required in production, not set',
        '  SLUICE_HTTPPORT  not a variable of this service, did you mean SLUICE_HTTP_PORT?\n',
      ].join('\n'),
    );
  });

  it('checks its environment without starting', async () => {
    const { exit, seen } = start({}, '--check-config');
    expect(await exit).toBe(0);
    expect(seen.out).toMatch(/^demo: the environment is valid\n {2}SLUICE_ENV +development\n/);
  });
});
