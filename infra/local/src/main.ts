import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { demonstrate } from './demo/demonstrate.js';
import { addressesOf } from './demo/show-summary.js';
import {
  createReporter,
  LocalStackError,
  messageOf,
  portBaseFrom,
  startServers,
  withoutPassword,
  type Stack,
} from './index.js';
import { startServices } from './services/start-services.js';

const repository = join(__dirname, '..', '..', '..');

async function main(): Promise<void> {
  const options = readOptions();
  const reporter = createReporter(process.stdout, process.env);
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());

  let stack: Stack | undefined;
  try {
    stack = await startServers({
      portBase: portBaseFrom(process.env),
      reporter,
      durable: true,
      webInterface: true,
      environment: process.env,
      signal: stopping.signal,
    });
    const running = await startServices(stack, reporter, repository);
    for (const { name, ended } of running.processes) {
      void ended.then((how) => {
        if (!stopping.signal.aborted)
          reporter.say(`${name} ended by itself: ${how}. Its log is in ${stack?.logFolder}.`);
      });
    }
    if (options.payments > 0) {
      const { ok, summary } = await demonstrate({
        running,
        reporter,
        count: options.payments,
        signal: stopping.signal,
      });
      reporter.close();
      reporter.say(`\n${summary}\n`);
      if (!ok) process.exitCode = 1;
    }
    reporter.close();
    if (!options.once && !stopping.signal.aborted) {
      reporter.say(`Sluice is up.\n${addressesOf(running, shownServers(stack))}\nCtrl-C stops everything.`);
      await aborted(stopping.signal);
    }
  } catch (error) {
    reporter.close();
    if (!stopping.signal.aborted) {
      process.stderr.write(
        `\n${error instanceof LocalStackError ? error.message : (stackOf(error) ?? messageOf(error))}\n`,
      );
      process.exitCode = 1;
    }
  } finally {
    stopping.abort();
    reporter.say('Stopping …');
    await stack?.stop();
    reporter.say('Stopped.');
  }
}

/** `--once` stops after the demonstration; `--payments 0` leaves it out. */
function readOptions(): { once: boolean; payments: number } {
  const { values } = parseArgs({
    options: { once: { type: 'boolean', default: false }, payments: { type: 'string', default: '200' } },
  });
  if (!/^\d{1,5}$/.test(values.payments)) {
    throw new Error(`--payments: expected a whole number up to 99999, found "${values.payments}"`);
  }
  return { once: values.once, payments: Number(values.payments) };
}

function shownServers({ addresses, ports, logFolder }: Stack): Record<string, string> {
  return {
    PostgreSQL: withoutPassword(addresses.pgUrl),
    Kafka: addresses.kafkaBrokers,
    Temporal: `${addresses.temporalAddress}   web http://127.0.0.1:${ports.temporalUi}`,
    Redis: withoutPassword(addresses.redisUrl),
    logs: logFolder,
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
    // An open timer keeps the process alive while it only waits.
    const alive = setInterval(() => undefined, 60_000);
    signal.addEventListener('abort', () => clearInterval(alive), { once: true });
  });
}

function stackOf(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : undefined;
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
});
