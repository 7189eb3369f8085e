import { Registry } from 'prom-client';
import type { z } from 'zod';
import type { ServiceVariables } from '../config/service-variables.js';
import type { SummaryEntry } from '../config/summary.js';
import { describeError } from '../log/describe-error.js';
import { createLogger } from '../log/logger.js';
import type { Logger } from '../log/logger.js';
import { collectProcessMetrics, createMetrics } from '../metrics.js';
import type { KitMetrics } from '../metrics.js';
import { createHeartbeats } from '../ops/heartbeats.js';
import type { Heartbeats } from '../ops/heartbeats.js';
import { createOpsListener } from '../ops/ops-listener.js';
import type { ServiceState } from '../ops/ops-listener.js';
import { createReadiness } from '../ops/readiness.js';
import type { Readiness } from '../ops/readiness.js';
import type { Composition } from '../service.js';
import type { Drainable } from './drainable.js';
import type { HostProcess } from './host-process.js';
import { startHttpServer } from './http-server.js';
import { shutDown } from './shut-down.js';
import { runStartChecks } from './start-checks.js';
import { startWorker } from './start-worker.js';
import { createStopRequest } from './stop-request.js';
import type { StopReason, StopRequest } from './stop-request.js';
import { watchProcess } from './watch-process.js';

const CLOSING_MS = 3000;

export interface ServeOptions {
  readonly name: string;
  readonly version: string | undefined;
  readonly settings: z.infer<z.ZodObject<ServiceVariables>>;
  readonly summary: readonly SummaryEntry[];
  readonly host: HostProcess;
  readonly compose: (parts: { log: Logger; registry: Registry }) => Promise<Composition> | Composition;
}

/** What is known of a service while it runs. */
interface Running {
  readonly log: Logger;
  readonly registry: Registry;
  readonly metrics: KitMetrics;
  readonly heartbeats: Heartbeats;
  readonly stop: StopRequest;
  state: ServiceState;
  readiness: Readiness | undefined;
  composition: Composition | undefined;
  readonly intake: Drainable[];
}

/** Starts a service whose environment is valid, waits for a reason to stop, and stops it. Returns the exit code. */
export async function serve(options: ServeOptions): Promise<number> {
  const { name, version, settings } = options;
  const log = createLogger({
    service: name,
    level: settings.SLUICE_LOG_LEVEL,
    ...(version === undefined ? {} : { version }),
    ...(options.host.logTo === undefined ? {} : { destination: options.host.logTo }),
  });
  const running = createRunning(log);
  running.metrics.serviceInfo.set({ service: name, version: version ?? '' }, 1);
  const unwatch = watchProcess(options.host, running.stop, log);
  log.info(
    { config: Object.fromEntries(options.summary.map((one) => [one.variable, one.value])) },
    'starting',
  );

  let ops: Drainable | undefined;
  const start = async (): Promise<void> => {
    ops = await startOps(running, settings);
    if (running.stop.isMade()) return closeNow(ops);
    await startAll(running, options);
  };
  // A stop that is asked for during the start does not wait for it: what has been built by then is taken down.
  start().catch((err: unknown) => {
    log.fatal({ err }, `${name} cannot start: ${describeError(err)}`);
    running.stop.make({ kind: 'failure', what: 'the start failed' });
  });

  const reason = await running.stop.made;
  const code = await stopAll(running, reason, settings.SLUICE_DRAIN_SECONDS * 1000);
  if (ops !== undefined) closeNow(ops);
  unwatch();
  return code;
}

function closeNow(server: Drainable): void {
  server.stop();
  server.abandon?.();
}

function createRunning(log: Logger): Running {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const metrics = createMetrics(registry);
  return {
    log,
    registry,
    metrics,
    heartbeats: createHeartbeats(metrics),
    stop: createStopRequest(),
    state: 'starting',
    readiness: undefined,
    composition: undefined,
    intake: [],
  };
}

/** The ops port answers from the first moment on, so that a slow start can be told from a dead process. */
async function startOps(running: Running, settings: ServeOptions['settings']): Promise<Drainable> {
  const { registry, heartbeats } = running;
  const state = (): ServiceState => running.state;
  const listener = createOpsListener({ registry, heartbeats, state, readiness: () => running.readiness });
  const { SLUICE_HTTP_HOST: host, SLUICE_OPS_PORT: port } = settings;
  const server = await startHttpServer({ name: 'ops', listener, host, port });
  running.log.info({ host, port: server.port }, 'the ops port listens');
  return server;
}

async function startAll(running: Running, { name, settings, compose }: ServeOptions): Promise<void> {
  const { log, registry, metrics, stop, intake } = running;
  const composition = await compose({ log, registry });
  running.composition = composition;
  running.readiness = createReadiness({ dependencies: composition.dependencies, metrics, log });

  const problems = await runStartChecks(composition.startChecks ?? []);
  if (stop.isMade()) return;
  if (problems.length > 0) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    throw new Error(`${count}\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
  if (composition.api !== undefined) {
    const { listener, port } = composition.api;
    const server = await startHttpServer({ name: 'http', listener, host: settings.SLUICE_HTTP_HOST, port });
    intake.push(server);
    log.info({ host: settings.SLUICE_HTTP_HOST, port: server.port }, 'the API listens');
    if (stop.isMade()) return server.stop();
  }
  intake.push(...composition.workers.map((worker) => startWorker(worker, running)));
  running.state = 'running';
  log.info({ workers: composition.workers.map((worker) => worker.name) }, `${name} is running`);
}

async function stopAll(running: Running, reason: StopReason, drainMs: number): Promise<number> {
  const { log, composition, intake } = running;
  running.state = 'draining';
  if (reason.kind === 'signal') log.info({ signal: reason.signal }, 'stopping');
  else log.error({ reason: reason.what }, `stopping, because ${reason.what}`);

  const { flush = [], close = [] } = composition ?? {};
  const notStopped = await shutDown({ intake, flush, close, drainMs, closingMs: CLOSING_MS, log });
  if (notStopped.length > 0) {
    log.fatal({ notStopped }, `did not stop: ${notStopped.join(', ')}`);
    return 1;
  }
  log.info(reason.kind === 'signal' ? 'stopped' : 'stopped after a failure');
  return reason.kind === 'signal' ? 0 : 1;
}
