import { formatAmount, type Amount } from '../money.js';
import type { Rail } from '../request.js';
import { reasonOf } from '../reason.js';
import type { PaymentRule } from './payment-rule.js';

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
