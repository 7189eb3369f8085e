import { once, setMaxListeners } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { parseLedgerEnvironment } from './environment.js';
import { createLedgerListener } from './ledger-listener.js';
import type { Simulator } from './ledger-listener.js';

const host = '127.0.0.1';
const drainMs = 2000;

interface Program<Line, Entry> {
  readonly name: string;
  readonly environment: NodeJS.ProcessEnv;
  open(ledgerFile: string): Promise<Simulator<Line, Entry>>;
}

/** Runs a simulator as this process until SIGTERM or SIGINT; a process that cannot start says why and exits with 1. */
export async function runLedgerProcess<Line, Entry>(program: Program<Line, Entry>): Promise<void> {
  try {
    await serve(program);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${program.name} cannot start: ${reason}\n`);
    process.exitCode = 1;
  }
}

async function serve<Line, Entry>(program: Program<Line, Entry>): Promise<void> {
  const parsed = parseLedgerEnvironment(program.environment);
  if (parsed.kind === 'invalid') {
    const count = parsed.problems.length === 1 ? '1 problem' : `${parsed.problems.length} problems`;
    throw new Error([`${count} in the environment`, ...parsed.problems].join('\n  '));
  }
  const { port, ledgerFile } = parsed.environment;
  const simulator = await program.open(ledgerFile);
  const stopping = new AbortController();
  // Every silent or delayed request listens to it.
  setMaxListeners(0, stopping.signal);
  const server = createServer({ keepAliveTimeout: 30_000 }, createLedgerListener(simulator, stopping.signal));

  await listen(server, port).catch(async (error: unknown) => {
    await simulator.ledger.close();
    throw error;
  });
  const { lines, cutBytes } = simulator.ledger.recovered;
  const cut = cutBytes > 0 ? `, ${cutBytes} bytes of a torn last line cut` : '';
  process.stdout.write(
    `${program.name} listens on http://${host}:${boundPort(server)}, ledger ${ledgerFile} with ${lines} lines${cut}\n`,
  );

  async function stop(): Promise<void> {
    if (stopping.signal.aborted) return;
    stopping.abort();
    const closed = once(server, 'close');
    server.close();
    const deadline = setTimeout(() => server.closeAllConnections(), drainMs);
    await closed;
    clearTimeout(deadline);
    await simulator.ledger.close();
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

function boundPort(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
