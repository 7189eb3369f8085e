import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { isRunning } from '../processes/identity.js';
import { listStateFiles, readRunState } from '../processes/run-state.js';
import type { RunState } from '../processes/run-state.js';
import type { Reporter } from '../reporting/reporter.js';
import { until } from '../testing/until.js';
import { cacheFolder } from './cache.js';
import { pingRedis } from './redis-ping.js';
import { startServers } from './start-servers.js';
import type { ServerOptions } from './start-servers.js';

const quiet: Reporter = { step: () => undefined, say: () => undefined, close: () => undefined };

describe('starting the servers', () => {
  let home: string;
  let options: ServerOptions & { readonly environment: Record<string, string | undefined> };

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'servers-'));
    const { PATH, PG_URL, KAFKA_BROKERS, TEMPORAL_ADDRESS, REDIS_URL } = process.env;
    // The servers of this test run are given, so that only what a test takes out is started.
    const environment = { PATH, PG_URL, KAFKA_BROKERS, TEMPORAL_ADDRESS, REDIS_URL, XDG_CACHE_HOME: home };
    options = { portBase: 'free', durable: false, reporter: quiet, environment };
  });
  afterEach(async () => {
    await rm(home, { recursive: true, force: true });
  });

  /** Without these variables, but with the programs that were installed for this test run already. */
  const without = (...names: string[]): ServerOptions => {
    const { XDG_CACHE_HOME, HOME } = process.env;
    const environment = { ...options.environment, XDG_CACHE_HOME, HOME, ...unset(names) };
    return { ...options, environment };
  };

  it('uses the addresses of the environment and starts nothing', async () => {
    const stack = await startServers(options);
    expect(stack.started).toEqual([]);
    expect(stack.addresses).toEqual({
      pgUrl: process.env.PG_URL,
      kafkaBrokers: process.env.KAFKA_BROKERS,
      temporalAddress: process.env.TEMPORAL_ADDRESS,
      redisUrl: process.env.REDIS_URL,
    });
    await stack.stop();
  });

  it('starts what the environment does not name, and stops it again', async () => {
    const stack = await startServers(without('REDIS_URL', 'PG_URL'));
    expect(stack.started).toEqual(['postgres', 'redis']);
    await pingRedis(stack.addresses.redisUrl);
    await stack.stop();
    await expect(pingRedis(stack.addresses.redisUrl)).rejects.toThrow('ECONNREFUSED');
  });

  it('leaves out what is not asked for, and gives PostgreSQL more settings', async () => {
    const postgresSettings = { shared_buffers: '64MB' };
    const stack = await startServers({
      ...without('REDIS_URL', 'PG_URL'),
      only: ['postgres'],
      postgresSettings,
    });
    try {
      expect(stack.started).toEqual(['postgres']);
      expect(stack.addresses).toMatchObject({ kafkaBrokers: '', temporalAddress: '', redisUrl: '' });
      const client = new Client({ connectionString: stack.addresses.pgUrl });
      await client.connect();
      const { rows } = await client.query('SHOW shared_buffers');
      await client.end();
      expect(rows).toEqual([postgresSettings]);
    } finally {
      await stack.stop();
    }
  });

  it('lets Temporal keep everything in a file of the run', async () => {
    const stack = await startServers({
      ...without('TEMPORAL_ADDRESS'),
      only: ['temporal'],
      temporalFile: 'temporal.db',
    });
    try {
      expect((await stat(join(stack.folder, 'temporal.db'))).size).toBeGreaterThan(0);
    } finally {
      await stack.stop();
    }
  });

  it('says which variable names a server that does not answer', async () => {
    const start = startServers({
      ...options,
      environment: { ...options.environment, REDIS_URL: 'redis://me:pw@127.0.0.1:1' },
    });
    await expect(start).rejects.toMatchObject({
      code: 'ADDRESS_UNREACHABLE',
      message: expect.stringMatching(
        /REDIS_URL is set, but Redis at redis:\/\/me:\*\*\*@127.0.0.1:1 does not answer/,
      ) as string,
    });
  });

  it('names every way out when a server can be neither found nor installed', async () => {
    const names = ['REDIS_URL', 'KAFKA_BROKERS', 'TEMPORAL_ADDRESS', 'JAVA_HOME'];
    const environment = { ...options.environment, PATH: home, ...unset(names) };
    const refusal: unknown = await startServers({ ...options, environment }).catch((error: unknown) => error);
    for (const part of [
      'redis-server',
      'REDIS_URL',
      'java and mvn',
      'KAFKA_BROKERS',
      'temporal CLI',
      'TEMPORAL_ADDRESS',
    ]) {
      expect(String(refusal)).toContain(part);
    }
    expect(await readdir(join(cacheFolder(environment), 'run'))).toEqual([]);
  });

  it('says who holds a port that it needs, and how to move', async () => {
    const holder = createServer().listen(9379, '127.0.0.1');
    const start = startServers({ ...without('REDIS_URL'), portBase: 9000 });
    await expect(start).rejects.toMatchObject({ code: 'PORT_TAKEN' });
    await expect(start).rejects.toThrow(`9379 (redis) is held by pid ${process.pid}`);
    await expect(start).rejects.toThrow('SLUICE_PORT_BASE=10000');
    holder.close();
  });

  it('stops what it has started when it is told to stop in the middle', async () => {
    const stop = new AbortController();
    const reporter: Reporter = {
      ...quiet,
      step: (name, state) => {
        if (name === 'PostgreSQL' && state === 'starting') stop.abort(new Error('told to'));
      },
    };
    // PostgreSQL may run as another user, who must get through.
    await chmod(home, 0o755);
    const interrupted = { ...without('PG_URL', 'REDIS_URL'), reporter, signal: stop.signal, dataRoot: home };
    await expect(startServers(interrupted)).rejects.toThrow('told to');
    expect(await readdir(home)).toEqual([]);
    expect(
      (await runs(interrupted.environment)).filter(({ starter }) => starter.pid === process.pid),
    ).toEqual([]);
  });

  it('leaves no server behind when its starter is killed', async () => {
    const { environment } = without('PG_URL', 'REDIS_URL');
    const script = `const { startServers, createReporter } = require(${JSON.stringify(join(__dirname, '..', '..', 'dist', 'index.js'))});
      startServers({ portBase: 'free', durable: false, environment: process.env, reporter: createReporter({ write() {} }, {}) })
        .then(() => process.stdout.write('up'));`;
    const starter = spawn(process.execPath, ['-e', script], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => starter.stdout.once('data', resolve));
    const run = (await runs(environment)).find(({ starter: { pid } }) => pid === starter.pid);
    if (!run) throw new Error('the run has no file');
    expect(run.processes.map(({ name }) => name).sort()).toEqual(['postgres', 'redis']);
    starter.kill('SIGKILL');
    await until('the run is gone', async () => (await runs(environment)).every(({ id }) => id !== run.id));
    expect(run.processes.filter(isRunning)).toEqual([]);
    for (const folder of run.folders) await expect(readdir(folder)).rejects.toThrow('ENOENT');
  });
});

const unset = (names: readonly string[]): Record<string, undefined> =>
  Object.fromEntries(names.map((name) => [name, undefined]));

async function runs(environment: Readonly<Record<string, string | undefined>>): Promise<readonly RunState[]> {
  const files = await listStateFiles(join(cacheFolder(environment), 'run'));
  return (await Promise.all(files.map(readRunState))).filter((state) => state !== undefined);
}
