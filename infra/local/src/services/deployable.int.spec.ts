import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createLocalKey } from './api-keys.js';
import { operatorScopes, serviceDefinitions, type ServiceDefinition } from './service-definitions.js';

const run = promisify(execFile);
const root = join(__dirname, '..', '..', '..', '..');
const names = ['slot-assigner', 'ingest', 'dispatcher', 'exec-worker', 'webhook-relayer'];

function fromEnvironment(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set; run this with jest.int.config.cjs`);
  return value;
}

/** Two that nobody listens on, below those that outgoing connections get, so that none of them can take one meanwhile. */
async function freePorts(): Promise<readonly [http: number, ops: number]> {
  for (;;) {
    const http = randomInt(14_500, 16_350) * 2;
    if ((await isFree(http)) && (await isFree(http + 1))) return [http, http + 1];
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const outcome = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  if (!(await outcome)) return false;
  server.close();
  await once(server, 'close');
  return true;
}

async function definitionOf(name: string): Promise<ServiceDefinition> {
  const ports: Record<string, { http: number; ops: number }> = {};
  for (const each of names) {
    const [http, ops] = await freePorts();
    ports[each] = { http, ops };
  }
  const found = serviceDefinitions({
    addresses: {
      pgUrl: fromEnvironment('PG_URL'),
      kafkaBrokers: fromEnvironment('KAFKA_BROKERS'),
      temporalAddress: fromEnvironment('TEMPORAL_ADDRESS'),
      redisUrl: fromEnvironment('REDIS_URL'),
    },
    ports,
    railUrl: fromEnvironment('RAIL_URL'),
    operator: createLocalKey('operator', operatorScopes),
  }).find((definition) => definition.name === name);
  if (found === undefined) throw new Error(`no service is called ${name}`);
  return found;
}

/** Polls until the address answers with the status, so that no test waits longer than it must. */
async function answers(url: string, status: number): Promise<string> {
  const deadline = Date.now() + 40_000;
  for (;;) {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
    const body = (await response?.text()) ?? '';
    if (response?.status === status) return body;
    if (Date.now() > deadline)
      throw new Error(`${url} did not answer ${status}; last: ${response?.status} ${body}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe.each(names)('the deployable folder of %s', (name) => {
  let folder: string;
  let child: ChildProcess | undefined;
  let output = '';

  beforeAll(async () => {
    // Outside the repository nothing can be resolved from the workspace by accident.
    folder = await mkdtemp(join(tmpdir(), `sluice-${name}-`));
    await cp(join(root, 'apps', name, 'dist'), folder, { recursive: true });
    await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--loglevel=error'], {
      cwd: folder,
    });
  }, 300_000);

  afterAll(async () => {
    child?.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  it('holds its libs, its SQL and no sources', async () => {
    const files = await readdir(join(folder, 'workspace_modules'), { recursive: true });
    expect(files.filter((file) => file.endsWith('.sql')).length).toBeGreaterThan(0);
    expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))).toEqual([]);
  });

  it('migrates, starts with its own variables only, answers its ops endpoints and drains on SIGTERM', async () => {
    const { environment, opsUrl } = await definitionOf(name);
    const env = { PATH: process.env['PATH'] ?? '', ...environment };
    await run(process.execPath, ['migrate.js', 'up'], {
      cwd: folder,
      env: { PATH: env.PATH, PG_URL: environment['PG_URL'] },
    });
    child = spawn(process.execPath, ['--disable-warning=TimeoutNegativeWarning', 'main.js'], {
      cwd: folder,
      env,
    });
    child.stdout?.on('data', (chunk) => (output += String(chunk)));
    child.stderr?.on('data', (chunk) => (output += String(chunk)));
    const exited = once(child, 'exit');
    try {
      expect(JSON.parse(await answers(`${opsUrl}/readyz`, 200))).toMatchObject({ status: 'ready' });
      await answers(`${opsUrl}/healthz`, 200);
      expect(await answers(`${opsUrl}/metrics`, 200)).toContain('# TYPE');
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    } catch (error) {
      throw new Error(`${name} said:\n${output.slice(-4_000)}`, { cause: error });
    }
  }, 120_000);
});
