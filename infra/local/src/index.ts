// The servers of Sluice on this machine: PostgreSQL, Kafka, Temporal and Redis, found or installed, started side by side,
// and stopped again whatever becomes of whoever started them.
//
//   const reporter = createReporter(process.stdout, process.env);
//   const stack = await startServers({
//     portBase: portBaseFrom(process.env), durable: true, webInterface: true, reporter, environment: process.env });
//   const ingest = stack.spawnOwned({
//     name: 'ingest', command: process.execPath, args: ['apps/ingest/dist/main.js'], env: { PG_URL: stack.addresses.pgUrl } });
//   await stack.stop();   // what was spawned on top first, then the servers
export { LocalStackError, messageOf } from './errors.js';
export type { LocalStackErrorCode } from './errors.js';
export { portBaseFrom, portTable } from './ports.js';
export type { Environment, PortTable, ServicePorts } from './ports.js';
export type { OwnedProcess, ProcessSpec } from './processes/owner.js';
export { createReporter } from './reporting/reporter.js';
export type { Reporter, Screen, StepState } from './reporting/reporter.js';
export { startServers, withoutPassword } from './servers/start-servers.js';
export type { Addresses, ServerOptions, Stack } from './servers/start-servers.js';
export type { ServerName } from './servers/server-part.js';
export { waitUntilReady } from './servers/wait-until-ready.js';
