import { join } from 'node:path';
import { messageOf } from '@sluice/local';
import { parseArguments } from './arguments.js';
import type { Bench } from './bench.js';
import { dispatchBench } from './dispatch/dispatch-bench.js';
import { outboxBench } from './outbox/outbox-bench.js';
import { runPart } from './run-part.js';
import { slotsBench } from './slots/slots-bench.js';
import { webhooksBench } from './webhooks/webhooks-bench.js';

const repository = join(__dirname, '..', '..', '..');
const benches: readonly Bench[] = [dispatchBench, outboxBench, slotsBench, webhooksBench];
const usage = 'npm run bench -- <bench> [--part <letter>] [--rows <n>] [--repeats <n>]';

async function main(): Promise<void> {
  const parsed = parseArguments(
    process.argv.slice(2),
    Object.fromEntries(benches.map(({ name, parts }) => [name, parts.map(({ letter }) => letter)])),
  );
  if (parsed.kind === 'refused') {
    process.stderr.write(`${parsed.problem}\n${usage}\n`);
    process.exitCode = 2;
    return;
  }
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  const given = parsed.arguments;
  for (const bench of benches.filter(({ name }) => name === given.bench)) {
    for (const part of bench.parts.filter(({ letter }) => (given.part ?? letter) === letter)) {
      if (stopping.signal.aborted) return;
      await runPart({
        bench,
        part,
        given,
        repository,
        environment: process.env,
        signal: stopping.signal,
      });
    }
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}\n`);
  process.exitCode = 1;
});
