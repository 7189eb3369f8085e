import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Destination } from '../../destination.js';
import type { Instruction } from '../../ports.js';

export interface Execution {
  readonly instructionId: string;
  readonly participantId: string;
  readonly sequenceId: number;
  readonly idempotencyKey: string;
}

/** A destination's own book, in a process that no test kills: what is not in it did not happen. */
export interface Ledger {
  readonly url: string;
  /** in the order in which they were executed */
  readonly executions: readonly Execution[];
  /** sends of something that had been executed already */
  readonly repeats: readonly Execution[];
  close(): Promise<void>;
}

export async function openLedger({ answersAfterMs = 0 } = {}): Promise<Ledger> {
  const executions: Execution[] = [];
  const repeats: Execution[] = [];
  const known = new Set<string>();

  function execute(execution: Execution): void {
    (known.has(execution.idempotencyKey) ? repeats : executions).push(execution);
    known.add(execution.idempotencyKey);
  }

  const server = createServer((request, response) => {
    void answer(request).then((body) => setTimeout(() => response.end(JSON.stringify(body)), answersAfterMs));
  });
  async function answer(request: IncomingMessage): Promise<object> {
    const key = new URL(request.url ?? '', 'http://ledger').searchParams.get('key');
    if (key !== null) return { executed: known.has(key) };
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    execute(JSON.parse(Buffer.concat(chunks).toString()) as Execution);
    return { executed: true };
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    executions,
    repeats,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The ledger as a destination: it recognises keys and answers questions. */
export function ledgerDestination(url: string): Destination & Required<Pick<Destination, 'status'>> {
  return {
    recognisesKeys: true,
    async send({ instructionId, participantId, sequenceId, idempotencyKey }: Instruction, signal) {
      const body = JSON.stringify({ instructionId, participantId, sequenceId, idempotencyKey });
      await (await fetch(url, { method: 'POST', body, signal })).text();
      return { kind: 'executed', reference: `L-${instructionId}` };
    },
    async status({ idempotencyKey }, signal) {
      const answer = await fetch(`${url}/?key=${encodeURIComponent(idempotencyKey)}`, { signal });
      const { executed } = (await answer.json()) as { executed: boolean };
      return executed ? { kind: 'executed' } : { kind: 'notExecuted' };
    },
  };
}
