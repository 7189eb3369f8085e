import { LedgerError } from '../ledger/ledger-error.js';
import type { Ledger } from '../ledger/ledger.js';
import type { Instruction, RailLedgerLine } from './instruction.js';

export interface Order {
  readonly rail: string;
  readonly idempotencyKey: string;
  readonly bodyHash: string;
  readonly instruction: Instruction;
}

export type Execution =
  | { readonly kind: 'executed'; readonly reference: string; readonly replayed: boolean }
  | { readonly kind: 'conflict' };

interface Known {
  readonly bodyHash: string;
  readonly reference: string;
  /** Set until the execution is in the ledger; stays, rejected, when nobody knows whether it is. */
  readonly durable?: Promise<void>;
}

/** Executes each key of a rail once, in the order of arrival, whatever comes at the same time or after a restart. */
export function createExecutor(now: () => Date) {
  const known = new Map<string, Known>();
  let issued = 0;
  const keyOf = (rail: string, idempotencyKey: string) => JSON.stringify([rail, idempotencyKey]);

  async function replay(order: Order, first: Known): Promise<Execution> {
    if (first.bodyHash !== order.bodyHash) return { kind: 'conflict' };
    await first.durable;
    return { kind: 'executed', reference: first.reference, replayed: true };
  }

  return {
    /** Takes up an execution that the ledger held when the process started. */
    remember(line: RailLedgerLine): void {
      const { rail, idempotencyKey, bodyHash, reference } = line;
      known.set(keyOf(rail, idempotencyKey), { bodyHash, reference });
      issued += 1;
    },

    async execute(order: Order, ledger: Ledger<RailLedgerLine>): Promise<Execution> {
      const key = keyOf(order.rail, order.idempotencyKey);
      const first = known.get(key);
      if (first !== undefined) return replay(order, first);

      const { bodyHash } = order;
      issued += 1;
      const reference = `${order.rail}-${String(issued).padStart(9, '0')}`;
      const durable = ledger.append(ledgerLine(order, reference, now()));
      known.set(key, { bodyHash, reference, durable });
      try {
        await durable;
      } catch (error) {
        if (error instanceof LedgerError && error.code === 'LEDGER_FULL') known.delete(key);
        throw error;
      }
      known.set(key, { bodyHash, reference });
      return { kind: 'executed', reference, replayed: false };
    },

    /** The reference of an executed key; waits for one that is just being executed. */
    async find(rail: string, idempotencyKey: string): Promise<string | undefined> {
      const found = known.get(keyOf(rail, idempotencyKey));
      await found?.durable;
      return found?.reference;
    },
  };
}

function ledgerLine(order: Order, reference: string, at: Date): RailLedgerLine {
  const { instructionId, paymentId, participantId, sequence, amount } = order.instruction;
  return {
    at: at.toISOString(),
    rail: order.rail,
    instructionId,
    idempotencyKey: order.idempotencyKey,
    paymentId,
    participantId,
    sequence,
    minorUnits: amount.minorUnits,
    currency: amount.currency,
    reference,
    bodyHash: order.bodyHash,
  };
}
