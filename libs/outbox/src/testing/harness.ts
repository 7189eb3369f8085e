import { randomUUID } from 'node:crypto';
import type { OutboxMaintenance, OutboxOperations } from '../operations.js';
import type {
  Claim,
  ClaimRequest,
  EnqueueOutcome,
  OutboxEntry,
  OutboxProducer,
  OutboxStore,
  Outcome,
  Queryable,
  Settled,
} from '../ports.js';
import type { OutboxViews } from '../views.js';

export interface OutboxUnderTest
  extends OutboxProducer, OutboxStore, OutboxViews, OutboxOperations, OutboxMaintenance {}

export interface OutboxHarness {
  readonly outbox: OutboxUnderTest;
  /** runs the work in a transaction on a connection of its own; commits when it resolves, rolls back when it rejects */
  transaction<T>(work: (db: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export type CurrentHarness = () => OutboxHarness;

/** A corner of the store that no other test touches. */
export interface Corner {
  readonly railType: string;
  readonly participant: (name: string) => string;
  readonly entry: (participant: string, name: string, change?: Partial<OutboxEntry>) => OutboxEntry;
  readonly enqueue: (...entries: OutboxEntry[]) => Promise<readonly EnqueueOutcome[]>;
  readonly claim: (change?: Partial<ClaimRequest>) => Promise<readonly Claim[]>;
  /** claims and expects exactly one instruction */
  readonly claimOne: (change?: Partial<ClaimRequest>) => Promise<Claim>;
  readonly settle: (claim: Claim, outcome: Outcome) => Promise<Settled>;
  readonly states: (instructionId: string) => Promise<string[]>;
}

export const executed: Outcome = { kind: 'executed', reference: 'R-1' };
export const refused: Outcome = {
  kind: 'failed',
  holds: false,
  code: 'REFUSED',
  message: 'refused for good',
};
export const doubtful: Outcome = { kind: 'inDoubt', holds: true, code: 'NO_ANSWER', message: 'nobody knows' };

export function later(delayMs: number, outcomeUnknown = false): Outcome {
  return { kind: 'retryLater', delayMs, outcomeUnknown, code: 'DOWN', message: 'not now' };
}

export function corner(current: CurrentHarness): Corner {
  const id = randomUUID().slice(0, 8);
  const railType = `RAIL-${id}`;

  const here: Corner = {
    railType,
    participant: (name) => `${name}-${id}`,
    entry: (participant, name, change) => ({
      instructionId: `ins-${name}-${id}`,
      participantId: here.participant(participant),
      idempotencyKey: `key-${name}-${id}`,
      railType,
      payload: { name },
      ...change,
    }),
    enqueue: (...entries) => current().transaction((db) => current().outbox.enqueue(db, entries)),
    claim: (change) =>
      current().outbox.claim({
        railTypes: [railType],
        limit: 100,
        leaseSeconds: 60,
        token: randomUUID(),
        ...change,
      }),
    async claimOne(change) {
      const claims = await here.claim(change);
      expect(claims).toHaveLength(1);
      return claims[0] as Claim;
    },
    async settle(claim, outcome) {
      const settled = await current().outbox.settle([{ ...claim, outcome, latencyMs: 5 }]);
      expect(settled).toHaveLength(1);
      return settled[0] as Settled;
    },
    async states(instructionId) {
      const found = await current().outbox.findInstruction(instructionId);
      return found?.attempts.map((attempt) => attempt.state) ?? [];
    },
  };
  return here;
}
