import { join } from 'node:path';
import type { OwnedProcess } from '../processes/owner.js';
import type { Reporter } from '../reporting/reporter.js';
import type { Stack } from '../servers/start-servers.js';
import { waitUntilReady } from '../servers/wait-until-ready.js';
import { migrateAll } from './migrate-all.js';
import { createLocalKey, type LocalKey } from './api-keys.js';
import { operatorScopes, serviceDefinitions, type ServiceDefinition } from './service-definitions.js';

/** Everything that runs on top of the servers. */
export interface RunningServices {
  readonly operator: LocalKey;
  readonly railUrl: string;
  readonly sinkUrl: string;
  readonly services: readonly ServiceDefinition[];
  readonly processes: readonly OwnedProcess[];
}

const STARTS_WITHIN_MS = 60_000;

/** Migrates the database, then starts both simulators and the five services, each with its own variables only. */
export async function startServices(
  stack: Stack,
  reporter: Reporter,
  repository: string,
): Promise<RunningServices> {
  reporter.step('migrations', 'starting');
  await migrateAll(repository, stack.addresses.pgUrl);
  reporter.step('migrations', 'ready');

  const railUrl = `http://127.0.0.1:${stack.ports.railSimulator}`;
  const sinkUrl = `http://127.0.0.1:${stack.ports.webhookSink}`;
  const operator = createLocalKey('operator', operatorScopes);
  const services = serviceDefinitions({
    addresses: stack.addresses,
    ports: stack.ports.services,
    railUrl,
    operator,
  });

  const simulators = await Promise.all([
    startProcess(
      { stack, reporter },
      simulator(repository, 'rail-simulator', { stack, port: stack.ports.railSimulator }),
    ),
    startProcess(
      { stack, reporter },
      simulator(repository, 'webhook-sink', { stack, port: stack.ports.webhookSink }),
    ),
  ]);
  const processes = await Promise.all(
    services.map((service) =>
      startProcess(
        { stack, reporter },
        {
          name: service.name,
          program: join(repository, 'apps', service.name, 'dist', 'main.js'),
          env: service.environment,
          layer: 2,
          readyUrl: `${service.opsUrl}/readyz`,
          shownUrl: service.url,
        },
      ),
    ),
  );
  return { operator, railUrl, sinkUrl, services, processes: [...simulators, ...processes] };
}

interface Program {
  readonly name: string;
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly layer: number;
  readonly readyUrl: string;
  readonly shownUrl: string;
}

function simulator(
  repository: string,
  name: string,
  at: { readonly stack: Stack; readonly port: number },
): Program {
  const url = `http://127.0.0.1:${at.port}`;
  return {
    name,
    program: join(repository, 'infra', 'local', 'dist', name, 'main.js'),
    env: { PORT: String(at.port), LEDGER_FILE: join(at.stack.folder, `${name}.ndjson`) },
    layer: 1,
    readyUrl: `${url}/healthz`,
    shownUrl: url,
  };
}

async function startProcess(
  { stack, reporter }: { readonly stack: Stack; readonly reporter: Reporter },
  { name, program, env, layer, readyUrl, shownUrl }: Program,
): Promise<OwnedProcess> {
  reporter.step(name, 'starting');
  const process_ = stack.spawnOwned({
    name,
    command: process.execPath,
    // kafkajs arms a negative timer, which Node.js 24 warns of; see ADR 0004.
    args: ['--disable-warning=TimeoutNegativeWarning', program],
    env,
    layer,
    stopWithinMs: 15_000,
  });
  try {
    await waitUntilReady({
      title: name,
      process: process_,
      withinMs: STARTS_WITHIN_MS,
      probe: () => expectOk(readyUrl),
    });
  } catch (error) {
    reporter.step(name, 'failed');
    throw error;
  }
  reporter.step(name, 'ready', shownUrl);
  return process_;
}

async function expectOk(url: string): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  const body = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${body}`);
}
