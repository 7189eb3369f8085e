import { createLogger } from '@sluice/service-kit';
import { connectPg } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';
import { connectTemporal } from '@sluice/service-kit/temporal';
import type { TemporalConnection } from '@sluice/service-kit/temporal';
import { startCountingExecWorker } from './counting-exec-worker.js';
import type { CountingExecWorker } from './counting-exec-worker.js';
import { startDispatcher } from './dispatcher-process.js';
import type { DispatcherProcess } from './dispatcher-process.js';
import { openTcpProxy } from './tcp-proxy.js';
import type { TcpProxy } from './tcp-proxy.js';

/** Real dispatchers with a proxy before each of their servers, and connections of our own to see what they did. */
export interface CrashRig {
  /** Names all that the test makes in Temporal. */
  readonly name: string;
  readonly execTaskQueue: string;
  readonly pool: Pool;
  readonly temporal: TemporalConnection;
  /** Undefined where nothing is to be executed. */
  readonly exec: CountingExecWorker | undefined;
  readonly toPostgres: TcpProxy;
  readonly toTemporal: TcpProxy;
  start(variables?: Record<string, string>): Promise<DispatcherProcess>;
  close(): Promise<void>;
}

const namespace = 'default';

export async function createCrashRig(
  environment: NodeJS.ProcessEnv,
  { executes }: { executes: boolean } = { executes: true },
): Promise<CrashRig> {
  const { PG_URL: pgUrl = '', TEMPORAL_ADDRESS: address = '', TEST_NAME: name = '' } = environment;
  const log = createLogger({ service: 'test', level: 'fatal' });
  const pool = connectPg({ url: pgUrl, applicationName: 'test', log });
  const temporal = connectTemporal({ address, namespace });
  const execTaskQueue = `${name}-exec`;
  const exec = executes
    ? startCountingExecWorker({ address, namespace, taskQueue: execTaskQueue })
    : undefined;
  const proxied = new URL(pgUrl);
  const toPostgres = await openTcpProxy({ host: proxied.hostname, port: Number(proxied.port) });
  proxied.host = `127.0.0.1:${toPostgres.port}`;
  const [host = '', port] = address.split(':');
  const toTemporal = await openTcpProxy({ host, port: Number(port) });
  const processes: DispatcherProcess[] = [];
  return {
    ...{ name, execTaskQueue, pool, temporal, exec, toPostgres, toTemporal },
    async start(variables = {}) {
      const dispatcher = await startDispatcher({
        PG_URL: proxied.href,
        TEMPORAL_ADDRESS: `127.0.0.1:${toTemporal.port}`,
        SLUICE_TASK_QUEUE: `${name}-dispatch`,
        SLUICE_SCHEDULE_PREFIX: `${name}-`,
        ...variables,
      });
      processes.push(dispatcher);
      return dispatcher;
    },
    async close() {
      await Promise.all(processes.map((dispatcher) => dispatcher.kill()));
      await exec?.stop();
      await removeFromTemporal(temporal, name);
      await Promise.all([toPostgres.close(), toTemporal.close(), temporal.close(), pool.end()]);
    },
  };
}

/** Leaves no tick behind, and no cycle that waits for a dispatcher. */
async function removeFromTemporal({ client }: TemporalConnection, name: string): Promise<void> {
  for await (const { scheduleId } of client.schedule.list()) {
    if (scheduleId.startsWith(`${name}-`)) await client.schedule.getHandle(scheduleId).delete();
  }
  const query = `ExecutionStatus = 'Running' AND WorkflowType = 'DispatcherWorkflow'`;
  for await (const { workflowId } of client.workflow.list({ query })) {
    if (!workflowId.startsWith(`${name}-`)) continue;
    await client.workflow
      .getHandle(workflowId)
      .terminate('the test is over')
      .catch(() => undefined);
  }
}
