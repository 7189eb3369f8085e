import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { createLogger } from '../log/logger.js';
import { createMetrics } from '../metrics.js';
import type { Dependency } from '../service.js';
import { createHeartbeats } from './heartbeats.js';
import { createOpsListener } from './ops-listener.js';
import type { ServiceState } from './ops-listener.js';
import { createReadiness } from './readiness.js';

let logged = '';
const log = createLogger({ service: 'demo', destination: { write: (line) => void (logged += line) } });

function setUp(dependencies: Dependency[] = []) {
  const registry = new Registry();
  const metrics = createMetrics(registry);
  const clock = { ms: 0 };
  const now = (): number => clock.ms;
  const heartbeats = createHeartbeats(metrics, now);
  const readiness = createReadiness({ dependencies, metrics, log, limitMs: 50, now });
  const state: { current: ServiceState } = { current: 'running' };
  const listener = createOpsListener({
    registry,
    heartbeats,
    state: () => state.current,
    readiness: () => readiness,
  });
  const get = async (path: string, method = 'GET') => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
    const response = await fetch(url, { method, headers: { connection: 'close' } });
    const text = await response.text();
    await new Promise((resolve) => server.close(resolve));
    return { status: response.status, text, json: () => JSON.parse(text) as Record<string, unknown> };
  };
  return { clock, heartbeats, readiness, state, get };
}

const up: Dependency = { name: 'up', check: async () => {} };
const down: Dependency = {
  name: 'down',
  check: () => Promise.reject(new Error('refused by postgres://u:pw@h')),
};

describe('/healthz', () => {
  it('is healthy while every worker beats in time, and names the one that does not', async () => {
    const { clock, heartbeats, get } = setUp([down]);
    heartbeats.watch('slow', 10_000);
    const beat = heartbeats.watch('fast', 1000);
    clock.ms = 900;
    expect(await get('/healthz')).toMatchObject({ status: 200 });
    clock.ms = 2000;
    const late = await get('/healthz');
    expect(late.status).toBe(503);
    expect(late.json()['workers']).toEqual([
      { worker: 'slow', sinceBeatMs: 2000, maxBeatMs: 10_000, ok: true },
      { worker: 'fast', sinceBeatMs: 2000, maxBeatMs: 1000, ok: false },
    ]);
    beat();
    expect(await get('/healthz')).toMatchObject({ status: 200 });
  });

  it('never touches a dependency', async () => {
    const check = jest.fn(async () => {});
    await setUp([{ name: 'db', check }]).get('/healthz');
    expect(check).not.toHaveBeenCalled();
  });

  it('stays healthy while draining, when loops have stopped to beat', async () => {
    const { clock, heartbeats, state, get } = setUp();
    heartbeats.watch('loop', 1000);
    clock.ms = 60_000;
    state.current = 'draining';
    expect(await get('/healthz')).toMatchObject({ status: 200 });
  });
});

describe('/readyz', () => {
  it('tells each dependency with its latency, and the reason without secrets', async () => {
    const { get } = setUp([up, down]);
    const { status, json } = await get('/readyz');
    expect(status).toBe(503);
    expect(json()).toEqual({
      status: 'not ready',
      dependencies: [
        { name: 'up', ok: true, latencyMs: 0 },
        { name: 'down', ok: false, latencyMs: 0, error: 'refused by postgres://u:***@h' },
      ],
    });
    expect(await setUp([up]).get('/readyz')).toMatchObject({ status: 200 });
  });

  it('shows an optional dependency that is away, and stays true', async () => {
    const { status, json } = await setUp([up, { ...down, optional: true }]).get('/readyz');
    expect(status).toBe(200);
    expect(json()).toMatchObject({
      status: 'ready',
      dependencies: [{ ok: true }, { ok: false, optional: true }],
    });
  });

  it.each(['starting', 'draining'] as const)(
    'is false while %s, whatever the dependencies say',
    async (current) => {
      const { state, get } = setUp([up]);
      state.current = current;
      const { status, json } = await get('/readyz');
      expect([status, json()['status']]).toEqual([503, current]);
    },
  );

  it('is false when the drain begins during the check', async () => {
    const { state, get } = setUp([{ name: 'db', check: async () => void (state.current = 'draining') }]);
    expect(await get('/readyz')).toMatchObject({ status: 503 });
  });

  it('limits the time of a check, and does not pile up checks of a dependency that hangs', async () => {
    const check = jest.fn(() => new Promise<void>(() => {}));
    const { clock, get } = setUp([{ name: 'hung', check }]);
    expect((await get('/readyz')).text).toContain('no answer within 50 ms');
    clock.ms = 5000;
    expect((await get('/readyz')).text).toContain('an earlier check still hangs');
    expect(check).toHaveBeenCalledTimes(1);
  });

  it('checks once a second however often it is asked', async () => {
    const check = jest.fn(async () => {});
    const { clock, readiness } = setUp([{ name: 'db', check }]);
    await Promise.all([readiness.check(), readiness.check()]);
    clock.ms = 999;
    await readiness.check();
    expect(check).toHaveBeenCalledTimes(1);
    clock.ms = 1000;
    await readiness.check();
    expect(check).toHaveBeenCalledTimes(2);
  });

  it('logs a dependency when it goes and when it comes back, and not in between', async () => {
    logged = '';
    const broken = { now: true };
    const check = async (): Promise<void> => {
      if (broken.now) throw new Error('away');
    };
    const { clock, readiness } = setUp([{ name: 'db', check }]);
    for (const at of [0, 1000, 2000]) {
      clock.ms = at;
      await readiness.check();
    }
    broken.now = false;
    clock.ms = 3000;
    await readiness.check();
    const lines = logged.trim().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('dependency is not ready');
    expect(lines[1]).toContain('dependency is ready again');
  });
});

describe('/metrics and the rest', () => {
  it('shows dependencies and beats as of now', async () => {
    const { clock, heartbeats, get } = setUp([up, down]);
    heartbeats.watch('loop', 30_000);
    clock.ms = 4000;
    const { status, text } = await get('/metrics');
    expect(status).toBe(200);
    expect(text).toContain('dependency_up{dependency="up"} 1');
    expect(text).toContain('dependency_up{dependency="down"} 0');
    expect(text).toContain('worker_last_beat_seconds{worker="loop"} 4');
    expect(text).toContain('worker_max_beat_seconds{worker="loop"} 30');
  });

  it('answers only its three pages, and only to be read', async () => {
    const { get } = setUp();
    expect(await get('/other')).toMatchObject({ status: 404 });
    expect(await get('/metrics', 'POST')).toMatchObject({ status: 405 });
    expect(await get('/healthz?verbose=1')).toMatchObject({ status: 200 });
  });
});
