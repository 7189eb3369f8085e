import { reasonOf } from '../reason.js';
import type { RailCalendars } from './enrich-request.js';
import { railTakesAmount, railTakesCurrency } from './rail-terms.js';
import type { PaymentRule } from './payment-rule.js';

/** What a company sets; without any of it the rules are those that hold for everyone. */
export interface RuleSettings {
  readonly calendars?: RailCalendars;
  /** ISO 3166 codes of two letters: nothing goes to banks there. */
  readonly blockedCountries?: ReadonlySet<string>;
  /** Asked last, in their order. */
  readonly ownRules?: readonly PaymentRule[];
}

/** The rules that need to know nothing but the payment, in the order in which they are asked. */
export function createRules({ calendars = {}, blockedCountries = new Set(), ownRules = [] }: RuleSettings) {
  return [
    railTakesCurrency,
    railTakesAmount,
    dateIsNear,
    cutOffIsKept(calendars),
    destinationIsNotBlocked(blockedCountries),
    ...ownRules,
  ];
}

const furthestDays = 366;

const dateIsNear: PaymentRule = ({ wantedAt, receivedAt }) => {
  const days = (wantedAt.getTime() - receivedAt.getTime()) / 86_400_000;
  if (days <= furthestDays) return undefined;
  return reasonOf('EXECUTE_AT_TOO_FAR', `executeAt may be at most ${furthestDays} days ahead`);
};

function cutOffIsKept(calendars: RailCalendars): PaymentRule {
  return function cutOffIsKept({ request: { rail }, wantedAt, executeAt }) {
    if (calendars[rail]?.late !== 'refuse' || executeAt <= wantedAt) return undefined;
    const next = executeAt.toISOString();
    return reasonOf(
      'CUT_OFF_PASSED',
      `${rail} is closed at ${wantedAt.toISOString()} and opens again at ${next}`,
    );
  };
}

function destinationIsNotBlocked(blocked: ReadonlySet<string>): PaymentRule {
  return function destinationIsNotBlocked({ request: { destination } }) {
    const country = countryOf(destination);
    if (!blocked.has(country)) return undefined;
    return reasonOf('DESTINATION_BLOCKED', `nothing is sent to banks in ${country}`);
  };
}

/** A BIC has its country behind the bank's four letters, an IBAN begins with it; a routing number is always American. */
function countryOf(destination: { bic: string } | { iban: string } | { routingNumber: string }): string {
  if ('bic' in destination) return destination.bic.slice(4, 6);
  return 'iban' in destination ? destination.iban.slice(0, 2) : 'US';
}
