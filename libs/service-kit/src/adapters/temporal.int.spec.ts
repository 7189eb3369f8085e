import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect as connectTcp } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode } from '@temporalio/worker';
import { createLogger } from '../log/logger.js';
import { connectTemporal } from './temporal-connection.js';
import { temporalWorker } from './temporal-worker.js';
import type { TemporalWorkerOptions } from './temporal-worker.js';

const { TEMPORAL_ADDRESS: address = '', TEST_NAME: testName = 'local' } = process.env;
const namespace = 'default';
const bundlePath = join(tmpdir(), `${testName}-${randomUUID()}.js`);
let taskQueue = '';
let logged = '';
const log = createLogger({ service: 'kit', destination: { write: (line) => void (logged += line) } });
const temporal = connectTemporal({ address, namespace });

const WORKFLOWS = `
const { proxyActivities } = require('@temporalio/workflow');
const { greet, linger } = proxyActivities({ startToCloseTimeout: '20s', retry: { maximumAttempts: 1 } });
exports.greeting = (name) => greet(name);
exports.lingering = () => linger();
`;

beforeAll(async () => {
  // Inside of the project, where the bundler finds the SDK.
  const folder = mkdtempSync(join(__dirname, '..', '..', 'dist', 'workflows-'));
  const workflowsPath = join(folder, 'workflows.js');
  writeFileSync(workflowsPath, WORKFLOWS);
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: quiet });
  writeFileSync(bundlePath, code);
  rmSync(folder, { recursive: true });
});
afterAll(async () => {
  await temporal.close();
  rmSync(bundlePath);
});

// A queue for each test: the server may hand a task to the poll of a worker that has just gone, and then waits for it.
beforeEach(() => {
  taskQueue = `kit-${testName}-${randomUUID()}`;
});

const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

function options(more: Partial<TemporalWorkerOptions> = {}): TemporalWorkerOptions {
  const activities = { greet: async (name: string) => `hello ${name}` };
  return {
    name: 'things',
    address,
    namespace,
    taskQueue,
    workflowBundlePath: bundlePath,
    activities,
    log,
    drainMs: 10_000,
    ...more,
  };
}

function run(given: TemporalWorkerOptions) {
  const controller = new AbortController();
  const beats = { count: 0 };
  const done = temporalWorker(given).run(controller.signal, () => (beats.count += 1));
  return { controller, beats, done };
}

const execute = (type: string, args: unknown[] = []): Promise<unknown> =>
  temporal.client.workflow.execute(type, {
    taskQueue,
    workflowId: randomUUID(),
    args,
    workflowExecutionTimeout: '30s',
  });

describe('connectTemporal', () => {
  it('is ready when the namespace can be reached', async () => {
    await expect(temporal.dependency.check(AbortSignal.timeout(5000))).resolves.toBeUndefined();
  });

  it('is not ready without the namespace, or without a server, and keeps to the time limit', async () => {
    const missing = connectTemporal({ address, namespace: 'does-not-exist' });
    await expect(missing.dependency.check(AbortSignal.timeout(5000))).rejects.toThrow();
    await missing.close();
    const away = connectTemporal({ address: '127.0.0.1:1', namespace });
    const startedAt = performance.now();
    await expect(away.dependency.check(AbortSignal.timeout(500))).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(5000);
    await away.close();
  });
});

describe('temporalWorker', () => {
  it('runs workflows and activities until it is told to stop, and logs into ours', async () => {
    const { controller, beats, done } = run(options());
    expect(await execute('greeting', ['you'])).toBe('hello you');
    expect(beats.count).toBeGreaterThan(0);
    controller.abort();
    await expect(done).resolves.toBeUndefined();
    expect(logged).toMatch(/"component":"temporal".*Worker state changed/);
  });

  it('lets a running activity finish', async () => {
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<string>();
    const linger = (): Promise<string> => {
      begun.resolve();
      return go.promise;
    };
    // Without a cache the next worker need not wait for this one's share of the queue to time out.
    const given = options({ activities: { linger }, tuning: { maxCachedWorkflows: 0 } });
    const { controller, done } = run(given);
    const handle = await temporal.client.workflow.start('lingering', { taskQueue, workflowId: randomUUID() });
    await begun.promise;
    controller.abort();
    go.resolve('finished all the same');
    await done;
    // The activity's result is with the server; another worker takes the workflow from there.
    const next = run(given);
    expect(await handle.result()).toBe('finished all the same');
    next.controller.abort();
    await next.done;
  });

  it('ends with an error when an activity does not finish in the time to drain', async () => {
    const begun = Promise.withResolvers<void>();
    const linger = (): Promise<never> => {
      begun.resolve();
      return new Promise(() => {});
    };
    const { controller, done } = run(options({ activities: { linger }, drainMs: 1000 }));
    await temporal.client.workflow.start('lingering', {
      taskQueue,
      workflowId: randomUUID(),
      workflowExecutionTimeout: '5s',
    });
    await begun.promise;
    controller.abort();
    await expect(done).rejects.toThrow();
  });

  it('waits for a server that comes up later', async () => {
    const [host = '', port = ''] = address.split(':');
    const proxy = createServer((socket) => {
      const upstream = connectTcp(Number(port), host);
      socket.pipe(upstream).pipe(socket);
      socket.on('error', () => upstream.destroy());
      upstream.on('error', () => socket.destroy());
    });
    proxy.listen(0, '127.0.0.1');
    await new Promise((resolve) => proxy.once('listening', resolve));
    const { port: later } = proxy.address() as AddressInfo;
    await new Promise((resolve) => proxy.close(resolve));

    logged = '';
    const { controller, done } = run(options({ address: `127.0.0.1:${later}` }));
    while (!logged.includes('Temporal cannot be reached'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    proxy.listen(later, '127.0.0.1');
    expect(await execute('greeting', ['late one'])).toBe('hello late one');
    controller.abort();
    await done;
    await new Promise((resolve) => proxy.close(resolve));
  });

  it('returns when it is told to stop while it still waits for the server', async () => {
    const { controller, beats, done } = run(options({ address: '127.0.0.1:1' }));
    while (beats.count === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    await expect(done).resolves.toBeUndefined();
  });

  it('ends with an error when it cannot be made', async () => {
    const { done } = run(options({ workflowBundlePath: '/does/not/exist.js' }));
    await expect(done).rejects.toThrow();
  });
});
