import { join } from 'node:path';
import { waitUntilReady, type OwnedProcess, type ServicePorts, type Stack } from '@sluice/local';

const startsWithinMs = 60_000;

/** slot-assigner as it is deployed, a process of its own: what it costs to be a service is part of the figure. */
export async function startSlotNode(
  stack: Stack,
  repository: string,
  options: { readonly databaseUrl: string; readonly ports: ServicePorts },
): Promise<{ readonly url: string; readonly process: OwnedProcess }> {
  const { http, ops } = options.ports;
  const node = stack.spawnOwned({
    name: `slot-assigner-${http}`,
    command: process.execPath,
    args: [join(repository, 'apps', 'slot-assigner', 'dist', 'main.js')],
    env: {
      PG_URL: options.databaseUrl,
      SLUICE_ENV: 'development',
      SLUICE_LOG_LEVEL: 'warn',
      SLUICE_HTTP_HOST: '127.0.0.1',
      SLUICE_HTTP_PORT: String(http),
      SLUICE_OPS_PORT: String(ops),
      SLUICE_DRAIN_SECONDS: '5',
      SLUICE_RETENTION: 'false',
    },
  });
  await waitUntilReady({
    title: 'slot-assigner',
    process: node,
    withinMs: startsWithinMs,
    probe: async () => {
      const response = await fetch(`http://127.0.0.1:${ops}/readyz`, { signal: AbortSignal.timeout(2_000) });
      if (!response.ok) throw new Error(`not ready: ${await response.text()}`);
    },
  });
  return { url: `http://127.0.0.1:${http}`, process: node };
}
