import { join } from 'node:path';
import { waitUntilReady, type Stack } from '@sluice/local';

const startsWithinMs = 60_000;

export interface DispatcherSettings {
  readonly databaseUrl: string;
  /** Starts in flight at once. */
  readonly concurrency: number;
  readonly subBatchSize: number;
}

/** The dispatcher as it is deployed, a process of its own: what it costs to be a service is part of the figure. */
export async function startDispatcher(
  stack: Stack,
  repository: string,
  settings: DispatcherSettings,
): Promise<void> {
  const { http, ops } = stack.ports.services.dispatcher;
  const dispatcher = stack.spawnOwned({
    name: 'dispatcher',
    command: process.execPath,
    args: [join(repository, 'apps', 'dispatcher', 'dist', 'main.js')],
    env: {
      PG_URL: settings.databaseUrl,
      TEMPORAL_ADDRESS: stack.addresses.temporalAddress,
      SLUICE_ENV: 'development',
      SLUICE_LOG_LEVEL: 'warn',
      SLUICE_HTTP_HOST: '127.0.0.1',
      SLUICE_HTTP_PORT: String(http),
      SLUICE_OPS_PORT: String(ops),
      SLUICE_DRAIN_SECONDS: '5',
      SLUICE_START_CONCURRENCY: String(settings.concurrency),
      SLUICE_SUB_BATCH_SIZE: String(settings.subBatchSize),
    },
  });
  await waitUntilReady({
    title: 'dispatcher',
    process: dispatcher,
    withinMs: startsWithinMs,
    probe: async () => {
      const response = await fetch(`http://127.0.0.1:${ops}/readyz`, { signal: AbortSignal.timeout(2_000) });
      if (!response.ok) throw new Error(`not ready: ${await response.text()}`);
    },
  });
}
