import type { Registry } from 'prom-client';
import type { z } from 'zod';
import { describeProblems } from '../config/configuration-error.js';
import { parseEnvironment } from '../config/parse-environment.js';
import type { ServiceVariables } from '../config/service-variables.js';
import { describeSummary } from '../config/summary.js';
import type { Logger } from '../log/logger.js';
import type { Composition } from '../service.js';
import type { HostProcess } from './host-process.js';
import { serve } from './serve.js';

export interface ServiceDefinition<S extends z.ZodObject<ServiceVariables>> {
  readonly name: string;
  readonly version?: string;
  /** All variables of the service, those of `serviceVariables` included. */
  readonly environment: S;
  /** Builds the service. What it makes connects lazily; a dependency that is down is for readiness to tell. */
  compose(parts: { config: z.infer<S>; log: Logger; registry: Registry }): Promise<Composition> | Composition;
}

/** Runs the service until it is told to stop, and ends the process. The whole of a `main.ts`. */
export async function runService<S extends z.ZodObject<ServiceVariables>>(
  service: ServiceDefinition<S>,
): Promise<void> {
  process.exit(await runIn(service, process));
}

/** The same on any process; returns the exit code. */
export async function runIn<S extends z.ZodObject<ServiceVariables>>(
  service: ServiceDefinition<S>,
  host: HostProcess,
): Promise<number> {
  const parsed = parseEnvironment(service.environment, host.env);
  if (parsed.kind === 'invalid') {
    host.stderr.write(`${service.name} cannot start: ${describeProblems(parsed.problems)}\n`);
    return 1;
  }
  if (host.argv.includes('--check-config')) {
    host.stdout.write(`${service.name}: the environment is valid\n${describeSummary(parsed.summary)}\n`);
    return 0;
  }
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- promised by the constraint on S, which inference does not carry through
  const settings = parsed.config as z.infer<z.ZodObject<ServiceVariables>>;
  return serve({
    name: service.name,
    version: service.version,
    settings,
    summary: parsed.summary,
    host,
    compose: (parts) => service.compose({ ...parts, config: parsed.config }),
  });
}
