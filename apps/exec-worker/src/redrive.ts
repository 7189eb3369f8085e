import type { DeadLetterFilter, OutboxOperations } from '@sluice/outbox';
import type { PaymentStatus } from '@sluice/payments';
import { paymentIdOf } from './outbox-entries.js';
import type { PaymentStatuses } from './ports.js';

export interface RedriveOrder {
  readonly which: { readonly instructionIds: readonly string[] } | { readonly filter: DeadLetterFilter };
  readonly limit: number;
  readonly dryRun: boolean;
  readonly actor: string;
  readonly reason: string;
}

export interface Redriven {
  /** or with dryRun, those that would be */
  readonly redriven: readonly string[];
  readonly refused: readonly { readonly instructionId: string; readonly why: string }[];
  /** there are more than the limit */
  readonly more: boolean;
}

interface Parts {
  readonly operations: Pick<OutboxOperations, 'listDeadLetters' | 'redrive'>;
  readonly statusesOf: PaymentStatuses;
}

/**
 * Sends dead letters on their way again, as far as their payments are still open: whoever was told that a payment failed may
 * have paid in another way since.
 */
export async function redriveDeadLetters(parts: Parts, order: RedriveOrder): Promise<Redriven> {
  const { instructionIds, more } = await candidates(parts, order);
  const paymentIds = instructionIds.flatMap((id) => paymentIdOf(id) ?? []);
  const statuses = await parts.statusesOf(paymentIds);
  const endedWith = (instructionId: string): PaymentStatus | undefined => {
    const status = statuses.get(paymentIdOf(instructionId) ?? '');
    return status === undefined || isOpen(status) ? undefined : status;
  };
  const open = instructionIds.filter((id) => endedWith(id) === undefined);
  const { dryRun, actor, reason } = order;
  const result =
    open.length === 0
      ? { redriven: [], skipped: [] }
      : await parts.operations.redrive({
          which: { instructionIds: open },
          dryRun,
          actor,
          reason,
          limit: open.length,
        });
  const refused = [
    ...instructionIds.flatMap((instructionId) => {
      const status = endedWith(instructionId);
      return status ? [{ instructionId, why: `its payment has ended ${status}` }] : [];
    }),
    ...result.skipped.map((instructionId) => ({ instructionId, why: 'it is no dead letter, or no longer' })),
  ];
  return { redriven: result.redriven, refused, more };
}

function isOpen(status: PaymentStatus): boolean {
  return status === 'ACCEPTED' || status === 'PROCESSING';
}

async function candidates(
  { operations }: Parts,
  { which, limit }: RedriveOrder,
): Promise<{ readonly instructionIds: readonly string[]; readonly more: boolean }> {
  if ('instructionIds' in which) return { instructionIds: which.instructionIds, more: false };
  const page = await operations.listDeadLetters({ state: 'FAILED', filter: which.filter, limit });
  return {
    instructionIds: page.deadLetters.map(({ instructionId }) => instructionId),
    more: page.next !== undefined,
  };
}
