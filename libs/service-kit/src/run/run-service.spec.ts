import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { serviceVariables } from '../config/service-variables.js';
import { postgresUrl } from '../config/variables.js';
import type { Composition, Worker } from '../service.js';
import type { HostProcess } from './host-process.js';
import { runIn } from './run-service.js';

const schema = z.object({
  ...serviceVariables({ httpPort: 0, opsPort: 0 }),
  PG_URL: postgresUrl().optional(),
});
const environment = { SLUICE_ENV: 'development', SLUICE_HTTP_HOST: '127.0.0.1', SLUICE_DRAIN_SECONDS: '1' };

/** A process that can be sent signals and that records what became of it. */
function fakeProcess(env: Record<string, string> = environment, argv: string[] = ['node', 'main.js']) {
  const events = new EventEmitter();
  const seen = { stdout: '', stderr: '', log: '', exits: [] as number[] };
  const host: HostProcess = {
    env,
    argv,
    stdout: { write: (text) => (seen.stdout += text) },
    stderr: { write: (text) => (seen.stderr += text) },
    on: (event, listener) => events.on(event, listener),
    off: (event, listener) => events.off(event, listener),
    exit: (code) => void seen.exits.push(code),
    logTo: {
      write: (line) => {
        seen.log += line;
        events.emit('log');
      },
    },
  };
  const logged = async (text: string): Promise<void> => {
    while (!seen.log.includes(text)) await once(events, 'log');
  };
  return { host, seen, events, logged };
}

const empty: Composition = { workers: [], dependencies: [], close: [] };

function start(composition: Composition | (() => Promise<Composition>), process = fakeProcess()) {
  const compose = typeof composition === 'function' ? composition : () => composition;
  const code = runIn({ name: 'demo', version: '1.2.3', environment: schema, compose }, process.host);
  return { ...process, code };
}

function worker(name: string, run: Worker['run']): Worker {
  return { name, maxBeatMs: 1000, run };
}

const untilAborted: Worker['run'] = (signal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

describe('the environment', () => {
  it('stops the start with all problems in one message', async () => {
    const { code, seen } = start(
      empty,
      fakeProcess({ SLUICE_HTTP_PORT: 'x', PG_URL: 'y', SLUICE_LOGLEVEL: 'info' }),
    );
    expect(await code).toBe(1);
    expect(seen.stderr.split('\n')).toEqual([
      'demo cannot start: 4 problems in the environment',
      '  SLUICE_HTTP_PORT  expected a whole number 0..65535, found "x"',
      '  PG_URL            expected a URL postgres://user@host:port/database, found "set"',
      '  SLUICE_API_KEYS   required in production, not set',
      '  SLUICE_LOGLEVEL   not a variable of this service, did you mean SLUICE_LOG_LEVEL?',
      '',
    ]);
  });

  it('is only checked and shown with --check-config', async () => {
    const compose = jest.fn(() => Promise.resolve(empty));
    const env = { ...environment, PG_URL: 'postgres://app:hunter2@db/app' };
    const { code, seen } = start(compose, fakeProcess(env, ['node', 'main.js', '--check-config']));
    expect(await code).toBe(0);
    expect(seen.stdout).toContain('demo: the environment is valid');
    expect(seen.stdout).toMatch(/PG_URL +postgres:\/\/app:\*\*\*@db\/app/);
    expect(compose).not.toHaveBeenCalled();
    const wrong = start(compose, fakeProcess({}, ['node', 'main.js', '--check-config']));
    expect(await wrong.code).toBe(1);
    expect(wrong.seen.stderr).toContain('SLUICE_API_KEYS');
  });

  it('is logged without secrets at the start', async () => {
    const { code, seen, events, logged } = start(
      empty,
      fakeProcess({ ...environment, PG_URL: 'postgres://app:pw@db/app' }),
    );
    await logged('is running');
    events.emit('SIGTERM');
    await code;
    expect(seen.log).toContain('"PG_URL":"postgres://app:***@db/app"');
    expect(seen.log).toContain('"version":"1.2.3"');
  });
});

describe('the start', () => {
  it('reports the problems of all start checks together', async () => {
    const closed = jest.fn(async () => {});
    const { code, seen } = start({
      ...empty,
      close: [{ name: 'pool', close: closed }],
      startChecks: [
        { name: 'schema', check: async () => ['a is missing', 'b is missing'] },
        { name: 'fine', check: async () => [] },
        { name: 'broken', check: () => Promise.reject(new Error('no connection')) },
      ],
    });
    expect(await code).toBe(1);
    expect(seen.log).toContain(
      'demo cannot start: 3 problems\\n  schema: a is missing\\n  schema: b is missing\\n  broken: no connection',
    );
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it('starts no worker before the checks have passed', async () => {
    const run = jest.fn(untilAborted);
    const check = { name: 'schema', check: async () => ['missing'] };
    const { code } = start({ ...empty, workers: [worker('loop', run)], startChecks: [check] });
    expect(await code).toBe(1);
    expect(run).not.toHaveBeenCalled();
  });

  it('fails with the reason when the service cannot be composed', async () => {
    const { code, seen } = start(() => Promise.reject(new Error('no such file')));
    expect(await code).toBe(1);
    expect(seen.log).toContain('demo cannot start: no such file');
  });

  it('fails with the port when it is taken', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    const { code, seen } = start(empty, fakeProcess({ ...environment, SLUICE_OPS_PORT: String(port) }));
    expect(await code).toBe(1);
    expect(seen.log).toContain(`ops cannot listen on 127.0.0.1:${port}: another process listens there`);
    await new Promise((resolve) => blocker.close(resolve));
  });

  it('can be stopped before it is complete', async () => {
    const { code, events } = start(() => new Promise(() => {}));
    events.emit('SIGTERM');
    expect(await code).toBe(0);
  });

  it('can be stopped during the start checks, and closes what was composed', async () => {
    const closed = jest.fn(async () => {});
    const composed = Promise.withResolvers<void>();
    const check = (): Promise<string[]> => {
      composed.resolve();
      return new Promise(() => {});
    };
    const { code, events } = start({
      ...empty,
      startChecks: [{ name: 'slow', check }],
      close: [{ name: 'pool', close: closed }],
    });
    await composed.promise;
    events.emit('SIGINT');
    expect(await code).toBe(0);
    expect(closed).toHaveBeenCalledTimes(1);
  });
});

describe('the stop', () => {
  it('goes in its fixed order: intake, drain, flush, close', async () => {
    const order: string[] = [];
    const drained: Worker['run'] = async (signal, beat) => {
      await untilAborted(signal, beat);
      order.push('intake stopped');
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push('drained');
    };
    const closable = (name: string) => ({ name, close: async () => void order.push(name) });
    const { code, events, logged, seen } = start({
      ...empty,
      workers: [worker('loop', drained)],
      close: [closable('close 1'), closable('close 2')],
      flush: [closable('flush 1'), closable('flush 2')],
    });
    await logged('is running');
    events.emit('SIGTERM');
    expect(await code).toBe(0);
    expect(order).toEqual(['intake stopped', 'drained', 'flush 1', 'flush 2', 'close 1', 'close 2']);
    expect(seen.log).toContain('"msg":"stopped"');
    expect(events.listenerCount('SIGTERM')).toBe(0);
  });

  it('exits 1 and names what did not stop in time, and closes the rest all the same', async () => {
    const closed = jest.fn(async () => {});
    const { code, events, logged, seen } = start({
      ...empty,
      workers: [worker('stuck', () => new Promise(() => {})), worker('good', untilAborted)],
      flush: [{ name: 'events', close: () => Promise.reject(new Error('queue full')) }],
      close: [{ name: 'pool', close: closed }],
    });
    await logged('is running');
    events.emit('SIGTERM');
    expect(await code).toBe(1);
    expect(seen.log).toContain('did not stop: worker stuck (did not stop in time), events (failed)');
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it('exits at once on a second signal', async () => {
    const { events, logged, seen, code } = start({
      ...empty,
      workers: [worker('stuck', () => new Promise(() => {}))],
    });
    await logged('is running');
    events.emit('SIGTERM');
    expect(seen.exits).toEqual([]);
    events.emit('SIGTERM');
    expect(seen.exits).toEqual([1]);
    await code;
  });

  it('takes a worker that leaves by way of the signal as stopped', async () => {
    const run: Worker['run'] = async (signal, beat) => {
      await untilAborted(signal, beat);
      signal.throwIfAborted();
    };
    const { code, events, logged } = start({ ...empty, workers: [worker('loop', run)] });
    await logged('is running');
    events.emit('SIGTERM');
    expect(await code).toBe(0);
  });

  it('exits 1 when a worker fails while stopping', async () => {
    const run: Worker['run'] = async (signal, beat) => {
      await untilAborted(signal, beat);
      throw new Error('offset not committed');
    };
    const { code, events, logged, seen } = start({ ...empty, workers: [worker('consumer', run)] });
    await logged('is running');
    events.emit('SIGTERM');
    expect(await code).toBe(1);
    expect(seen.log).toContain('did not stop: worker consumer (failed)');
  });
});

describe('a failure while running', () => {
  it.each([
    ['throws', () => Promise.reject(new Error('lost the group')), 'worker loop failed'],
    [
      'throws before it returns a promise',
      () => {
        throw new Error('early');
      },
      'worker loop failed',
    ],
    ['ends', () => Promise.resolve(), 'worker loop ended without being told to'],
  ])('stops the service in order when a worker %s', async (...[, run, reason]) => {
    const closed = jest.fn(async () => {});
    const other = jest.fn(untilAborted);
    const { code, seen } = start({
      ...empty,
      workers: [worker('other', other), worker('loop', run)],
      close: [{ name: 'pool', close: closed }],
    });
    expect(await code).toBe(1);
    expect(seen.log).toContain(`stopping, because ${reason}`);
    expect(seen.log).toContain('stopped after a failure');
    expect(other).toHaveBeenCalledTimes(1);
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it.each(['uncaughtException', 'unhandledRejection'])(
    'stops the service in order on an %s',
    async (event) => {
      const closed = jest.fn(async () => {});
      const { code, events, logged, seen } = start({ ...empty, close: [{ name: 'pool', close: closed }] });
      await logged('is running');
      events.emit(event, new Error('nobody caught me'));
      expect(await code).toBe(1);
      expect(seen.log).toMatch(/"level":"fatal".*nobody caught me/);
      expect(closed).toHaveBeenCalledTimes(1);
    },
  );
});
