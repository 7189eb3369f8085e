import { setTimeout as sleep } from 'node:timers/promises';
import type { Destination } from '../../destination.js';
import type { OutboxEntry, OutboxProducer, OutboxStore, Queryable } from '../../ports.js';
import type { OutboxOperations } from '../../operations.js';
import type { OutboxViews } from '../../views.js';
import { createRelay } from '../../relay.js';
import type { Failpoints } from './failpoint.js';

export interface LifeParts {
  readonly outbox: OutboxProducer & OutboxStore & OutboxViews & OutboxOperations;
  readonly transaction: <T>(
    work: (db: Queryable) => Promise<T>,
    commit: (end: () => Promise<unknown>) => Promise<unknown>,
  ) => Promise<T>;
  readonly destination: Destination & Required<Pick<Destination, 'status'>>;
  readonly failpoints: Failpoints;
  readonly railType: string;
  readonly leaseSeconds: number;
  readonly entries: readonly OutboxEntry[];
  /** a dead letter that the operator sends again */
  readonly deadLetter: string;
}

/** Everything that can happen to instructions: a producer, a relay with a moody destination, a reaper and an operator. */
export async function live(parts: LifeParts): Promise<void> {
  const { outbox, failpoints, railType } = parts;
  const stop = new AbortController();
  const relay = createRelay({
    name: 'life',
    store: failingStore(parts),
    destinations: { [railType]: moody(parts) },
    leaseSeconds: parts.leaseSeconds,
    pollIntervalMs: 50,
    backoff: { initialMs: 1, capMs: 20 },
    run: { longest: 3, budgetMs: 60_000 },
  });
  const running = relay.run(stop.signal, () => undefined);
  await insistently(() => produce(parts));
  await insistently(() =>
    failpoints.pass('redrive', () =>
      outbox.redrive({ which: { instructionIds: [parts.deadLetter] }, actor: 'test', reason: 'again' }),
    ),
  );
  await insistently(async () => {
    await failpoints.pass('reap', () => outbox.reap({ railTypes: [railType], limit: 10 }));
    if (!(await isOver(parts))) throw new Error('not over yet');
  });
  stop.abort();
  await running;
}

/** Producers, reapers and operators are called again until they succeed, like everything that runs for ever. */
async function insistently(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch {
      await sleep(50);
    }
  }
}

async function produce({ outbox, failpoints, transaction, entries }: LifeParts): Promise<void> {
  await transaction(
    (db) => failpoints.pass('enqueue', () => outbox.enqueue(db, entries)),
    (end) => failpoints.pass('commit', end),
  );
  outbox.announce();
}

function failingStore({ outbox, failpoints }: LifeParts): OutboxStore {
  return {
    claim: (request) => failpoints.pass('claim', () => outbox.claim(request)),
    renew: (leases, seconds) => outbox.renew(leases, seconds),
    reap: (request) => outbox.reap(request),
    settle(settlements) {
      const isRequeue = settlements.some(({ outcome }) => outcome.kind === 'retryLater');
      return failpoints.pass(isRequeue ? 'requeue' : 'outcome', () => outbox.settle(settlements));
    },
  };
}

/** The second of a participant is refused once; the first of one participant is executed without an answer. */
function moody({ destination, failpoints }: LifeParts): Destination {
  const refused = new Set<string>();
  return {
    recognisesKeys: true,
    send: (instruction, signal) =>
      failpoints.pass('send', async () => {
        const { instructionId, sequenceId } = instruction;
        if (sequenceId === 2 && !refused.has(instructionId)) {
          refused.add(instructionId);
          return { kind: 'retryable', code: 'BUSY', message: 'not now' };
        }
        const result = await destination.send(instruction, signal);
        const isLost = instructionId.includes('silent') && instruction.attemptNo === 1;
        return isLost ? { kind: 'unknown', code: 'NO_ANSWER', message: 'the answer was lost' } : result;
      }),
    status: (instruction, signal) => failpoints.pass('ask', () => destination.status(instruction, signal)),
  };
}

async function isOver({ outbox, railType, entries, deadLetter }: LifeParts): Promise<boolean> {
  const { pending, inFlight } = await outbox.depth([railType]);
  if (pending + inFlight > 0) return false;
  const ids = [...entries.map((entry) => entry.instructionId), deadLetter];
  const found = await Promise.all(ids.map((id) => outbox.findInstruction(id)));
  return found.every((one) => one?.state === 'DISPATCHED');
}
