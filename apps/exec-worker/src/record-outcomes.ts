import { z } from 'zod';
import type { Claim, OutboxStore, Settled, Settlement } from '@sluice/outbox';
import { Amount, PaymentId, Rail } from '@sluice/payments';
import type { Clock } from '@sluice/service-kit';
import { changePayments } from './change-payments.js';
import type { PaymentChange } from './change-payments.js';
import { ForgottenClaimError } from './errors.js';
import { paymentOutcome } from './payment-outcome.js';
import type { Executions } from './ports.js';

const by = 'rail-relay';
// Far longer than any lease lives: whoever settles such a claim has long lost it.
const rememberedMs = 3_600_000;

const Subject = z.object({ paymentId: PaymentId, participantId: z.string(), rail: Rail, amount: Amount });

interface Parts {
  readonly store: OutboxStore;
  readonly executions: Executions;
  readonly clock: Clock;
}

/**
 * The outbox's store, with the rail's word carried on to the payments: where an outcome settles or fails a payment, both
 * are written in one transaction, so that neither is ever known without the other.
 */
export function recordOutcomes({ store, executions, clock }: Parts): OutboxStore {
  const claims = new Map<string, { readonly claim: Claim; readonly at: number }>();

  function changesOf(settlements: readonly Settlement[]): Map<string, PaymentChange> {
    const changes = new Map<string, PaymentChange>();
    for (const settlement of settlements) {
      const { outboxId, outcome } = settlement;
      const claim = claims.get(keyOf(settlement))?.claim;
      // Left to the reaper, whose next claim brings the payload again.
      if (!claim) throw new ForgottenClaimError(outboxId);
      const change = changeOf(claim, outcome);
      if (change) changes.set(outboxId, change);
    }
    return changes;
  }

  async function settleWithPayments(
    settlements: readonly Settlement[],
    changes: ReadonlyMap<string, PaymentChange>,
  ): Promise<readonly Settled[]> {
    return executions.transaction(async (transaction) => {
      const settled = await transaction.settle(settlements);
      const recorded = settled.flatMap(({ outboxId, kind }) => {
        const change = kind === 'recorded' ? changes.get(outboxId) : undefined;
        return change ? [change] : [];
      });
      const events = await changePayments(transaction, recorded, { by, now: clock.now() });
      if (events.length > 0) await transaction.enqueue(events);
      return settled;
    });
  }

  return {
    async claim(request) {
      const at = clock.now().getTime();
      for (const [key, { at: seen }] of claims) if (seen < at - rememberedMs) claims.delete(key);
      const claimed = await store.claim(request);
      for (const claim of claimed) claims.set(keyOf(claim), { claim, at });
      return claimed;
    },
    renew: (leases, leaseSeconds) => store.renew(leases, leaseSeconds),
    reap: (request) => store.reap(request),
    async settle(settlements) {
      const changes = changesOf(settlements);
      const settled = await (changes.size === 0
        ? store.settle(settlements)
        : settleWithPayments(settlements, changes));
      for (const settlement of settlements) claims.delete(keyOf(settlement));
      return settled;
    },
  };
}

/** One instruction may be claimed twice by the same process, under two tokens. */
function keyOf({ outboxId, token }: Pick<Settlement, 'outboxId' | 'token'>): string {
  return `${outboxId}/${token}`;
}

function changeOf(claim: Claim, outcome: Settlement['outcome']): PaymentChange | undefined {
  const rail = Rail.safeParse(claim.railType).data;
  const change = rail && paymentOutcome(rail, outcome);
  if (!change) return undefined;
  // A payload that is no order names no payment; its instruction is a dead letter for a person to look at.
  const subject = Subject.safeParse(claim.payload).data;
  return subject && { subject, ...change };
}
