import { join } from 'node:path';
import { createReporter, startServers, type Environment, type Stack } from '@sluice/local';
import { rowsOf, type BenchArguments } from './arguments.js';
import type { Bench, BenchPart, PartResult, Surroundings } from './bench.js';
import { describeMachine } from './machine.js';
import { recordPart } from './results-file.js';
import { renderTable } from './table.js';

export interface Order {
  readonly bench: Bench;
  readonly part: BenchPart;
  readonly given: BenchArguments;
  readonly repository: string;
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

/** As a server of its own would be set up; out of the box PostgreSQL is set up for a machine with almost no memory. */
const postgresSettings = { shared_buffers: '2GB', max_wal_size: '8GB' };

/** Measures, prints and records one part. */
export async function runPart(order: Order): Promise<void> {
  const { bench, part, given, repository } = order;
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const date = new Date().toISOString();
  const machine = describeMachine();
  const rows = rowsOf(given, part.defaultRows);
  say(`\n(${part.letter}) ${part.title}: ${rows} rows, load before ${machine.loadBefore.toFixed(1)}`);
  const { tables, ...result } = await onServers(order, (start) =>
    part.run({ rows, repeats: given.repeats, repository, say, startServers: start }),
  );
  for (const table of tables) say(`\n${renderTable(table)}`);
  const file = join(repository, 'tmp', 'bench', `${bench.name}.json`);
  const { letter, title } = part;
  await recordPart(file, { bench: bench.name, letter }, { title, date, machine, ...result });
  say(`\nwritten to ${file}`);
}

/** Servers of its own, whatever the environment names, and stopped whatever happens. */
async function onServers(
  { environment, signal }: Order,
  run: (start: Surroundings['startServers']) => Promise<PartResult>,
): Promise<PartResult> {
  const { PATH, HOME, XDG_CACHE_HOME } = environment;
  const stacks: Stack[] = [];
  const stopAll = async (): Promise<void> => void (await Promise.all(stacks.map((stack) => stack.stop())));
  // A part in full run does not look at the signal: taking its servers away ends it.
  const abandon = (): void => void stopAll();
  signal.addEventListener('abort', abandon, { once: true });
  try {
    return await run(async (options) => {
      const stack = await startServers({
        ...options,
        portBase: 'free',
        durable: true,
        postgresSettings,
        reporter: createReporter(process.stdout, { CI: 'true' }),
        environment: { PATH, HOME, XDG_CACHE_HOME },
        signal,
      });
      stacks.push(stack);
      return stack;
    });
  } finally {
    signal.removeEventListener('abort', abandon);
    await stopAll();
  }
}
