import type { PaymentId } from '../identifiers.js';
import { formatAmount } from '../money.js';
import { reasonOf, type Reason } from '../reason.js';
import type { Admission, DuplicatePolicy, Limit, LookAlike, Usage } from './admission.js';
import type { EnrichedPayment } from './enrich-request.js';

/** A payment with the keys under which the rules remember. */
export interface Candidate {
  readonly payment: EnrichedPayment;
  /** Participant, currency and day. */
  readonly accountKey: string;
  /** Participant, amount and destination. */
  readonly likeness: string;
}

/** What the rules remember, as it stood when it was locked. The judging changes it. */
export interface Memory {
  readonly limits: ReadonlyMap<string, Limit>;
  readonly usage: Map<string, Usage>;
  readonly lookAlikes: Map<string, LookAlike>;
  /** Payments that were admitted before. */
  readonly admitted: ReadonlySet<PaymentId>;
}

/** Judges payments in their order; each sees what those before it have taken. */
export function judgePayments(
  candidates: readonly Candidate[],
  memory: Memory,
  duplicates: DuplicatePolicy,
): Admission[] {
  return candidates.map((candidate) => judge(candidate, memory, duplicates));
}

function judge(candidate: Candidate, memory: Memory, duplicates: DuplicatePolicy): Admission {
  const { paymentId } = candidate.payment.request;
  if (memory.admitted.has(paymentId)) return { kind: 'admitted', paymentId, flags: [] };
  const overLimit = exceeds(candidate, memory);
  if (overLimit !== undefined) return { kind: 'refused', paymentId, reason: overLimit };
  const suspicion = suspect(candidate, memory, duplicates);
  if (suspicion !== undefined && duplicates.action === 'refuse') {
    return { kind: 'refused', paymentId, reason: suspicion };
  }
  take(candidate, memory);
  return { kind: 'admitted', paymentId, flags: suspicion === undefined ? [] : [suspicion] };
}

const nothing: Usage = { minorUnits: 0n, payments: 0 };

function exceeds({ payment, accountKey }: Candidate, { limits, usage }: Memory): Reason | undefined {
  const limit = limits.get(accountKey);
  if (limit === undefined) return undefined;
  const { amount, participantId } = payment.request;
  const { perPaymentMinorUnits, perDayMinorUnits, perDayPayments } = limit;
  const text = (minorUnits: bigint) => formatAmount({ ...amount, minorUnits: Number(minorUnits) });
  if (perPaymentMinorUnits !== null && BigInt(amount.minorUnits) > perPaymentMinorUnits) {
    return reasonOf(
      'PAYMENT_LIMIT_EXCEEDED',
      `${participantId} may send at most ${text(perPaymentMinorUnits)} in one payment`,
    );
  }
  const used = usage.get(accountKey) ?? nothing;
  if (perDayMinorUnits !== null && used.minorUnits + BigInt(amount.minorUnits) > perDayMinorUnits) {
    return reasonOf(
      'DAILY_LIMIT_EXCEEDED',
      `${participantId} may send at most ${text(perDayMinorUnits)} on one day; ${text(used.minorUnits)} are taken`,
    );
  }
  if (perDayPayments !== null && used.payments + 1 > perDayPayments) {
    return reasonOf(
      'DAILY_LIMIT_EXCEEDED',
      `${participantId} may send at most ${perDayPayments} payments on one day`,
    );
  }
  return undefined;
}

function suspect(
  { payment, likeness }: Candidate,
  { lookAlikes }: Memory,
  duplicates: DuplicatePolicy,
): Reason | undefined {
  const earlier = lookAlikes.get(likeness);
  if (duplicates.action === 'off' || earlier === undefined) return undefined;
  if (earlier.paymentId === payment.request.paymentId) return undefined;
  const apartMs = Math.abs(payment.receivedAt.getTime() - earlier.receivedAt.getTime());
  if (apartMs > duplicates.withinMs) return undefined;
  return reasonOf(
    'DUPLICATE_SUSPECTED',
    `${earlier.paymentId} has the same participant, amount and destination and came ${Math.round(apartMs / 1000)} s before`,
  );
}

function take({ payment, accountKey, likeness }: Candidate, { usage, lookAlikes }: Memory): void {
  const { paymentId, amount } = payment.request;
  const used = usage.get(accountKey) ?? nothing;
  usage.set(accountKey, {
    minorUnits: used.minorUnits + BigInt(amount.minorUnits),
    payments: used.payments + 1,
  });
  lookAlikes.set(likeness, { paymentId, receivedAt: payment.receivedAt });
}
