import type { z } from 'zod';
import { formatAmount, type Amount } from './money.js';
import { PaymentRequest, type Rail } from './request.js';
import { reasonOf, type Reason } from './reason.js';

export type Validation =
  | { readonly kind: 'valid'; readonly request: PaymentRequest }
  | { readonly kind: 'invalid'; readonly reason: Reason };

/** The request as its schema sees it, and all that is wrong with it in one reason. */
export function validateRequest(input: unknown): Validation {
  const parsed = PaymentRequest.safeParse(input);
  if (parsed.success) return { kind: 'valid', request: parsed.data };
  const problems = parsed.error.issues.map(describeIssue);
  return { kind: 'invalid', reason: reasonOf('INVALID_REQUEST', problems.join('; ')) };
}

// Our own messages complete the sentence "expected …"; zod's are sentences already.
const ownMessages: ReadonlySet<string> = new Set(['custom', 'invalid_format', 'invalid_union']);

function describeIssue({ code, path, message }: z.core.$ZodIssue): string {
  return `${path.join('.') || 'request'}: ${ownMessages.has(code) ? `expected ${message}` : message}`;
}

/** A request with what the system adds to it before the rules look at it. */
export interface EnrichedPayment {
  readonly request: PaymentRequest;
  readonly receivedAt: Date;
  /** When it is to run: the instant asked for, or the one it came in if none was asked for or that has passed. */
  readonly executeAt: Date;
}

export function enrichRequest(request: PaymentRequest, receivedAt: Date): EnrichedPayment {
  const asked = request.executeAt === undefined ? receivedAt : new Date(request.executeAt);
  return { request, receivedAt, executeAt: asked < receivedAt ? receivedAt : asked };
}

/** Looks at one payment and says why it may not go on, or nothing. Pure: what it needs to know, it is given. */
export type PaymentRule = (payment: EnrichedPayment) => Reason | undefined;

/** The first objection; rules are asked in order. */
export function applyRules(payment: EnrichedPayment, rules: readonly PaymentRule[]): Reason | undefined {
  for (const rule of rules) {
    const objection = rule(payment);
    if (objection !== undefined) return objection;
  }
  return undefined;
}

interface RailTerms {
  /** Null: any currency. */
  readonly currency: string | null;
  readonly mostMinorUnits: number;
}

// Limits of the rails themselves: an ACH entry has ten digits for the amount, RTP takes up to ten million dollars,
// a SEPA message up to 999,999,999.99 euros. A wire has no limit below that of the request.
const railTerms: Record<Rail, RailTerms> = {
  ACH: { currency: 'USD', mostMinorUnits: 9_999_999_999 },
  RTP: { currency: 'USD', mostMinorUnits: 1_000_000_000 },
  SEPA: { currency: 'EUR', mostMinorUnits: 99_999_999_999 },
  WIRE: { currency: null, mostMinorUnits: 1e15 },
};

export const railTakesCurrency: PaymentRule = ({ request: { rail, amount } }) => {
  const { currency } = railTerms[rail];
  if (currency === null || currency === amount.currency) return undefined;
  return reasonOf('CURRENCY_NOT_ON_RAIL', `${rail} carries ${currency}, not ${amount.currency}`);
};

export const railTakesAmount: PaymentRule = ({ request: { rail, amount } }) => {
  const most: Amount = { ...amount, minorUnits: railTerms[rail].mostMinorUnits };
  if (amount.minorUnits <= most.minorUnits) return undefined;
  return reasonOf('AMOUNT_OVER_RAIL_LIMIT', `${rail} carries at most ${formatAmount(most)} in one payment`);
};

const furthestDays = 366;

export const dateIsNear: PaymentRule = ({ executeAt, receivedAt }) => {
  const days = (executeAt.getTime() - receivedAt.getTime()) / 86_400_000;
  if (days <= furthestDays) return undefined;
  return reasonOf('EXECUTE_AT_TOO_FAR', `executeAt may be at most ${furthestDays} days ahead`);
};

/** The rules that hold for everyone. A company's own are put behind them. */
export const standardRules: readonly PaymentRule[] = [railTakesCurrency, railTakesAmount, dateIsNear];
