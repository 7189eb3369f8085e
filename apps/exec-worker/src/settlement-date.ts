import type { Rail } from '@sluice/payments';

/** RTP settles at any hour of any day; the others on business days. */
const settlement: Record<Rail, { businessDays: number; everyDay: boolean }> = {
  RTP: { businessDays: 0, everyDay: true },
  WIRE: { businessDays: 0, everyDay: false },
  SEPA: { businessDays: 1, everyDay: false },
  ACH: { businessDays: 2, everyDay: false },
};

const dayMs = 86_400_000;

/** The day, yyyy-mm-dd in UTC, on which the receiver's bank should have the money. Weekends count, holidays do not. */
export function expectedSettlementDate(rail: Rail, executedAt: Date): string {
  const { businessDays, everyDay } = settlement[rail];
  let day = executedAt;
  if (!everyDay) {
    day = onBusinessDay(day);
    for (let left = businessDays; left > 0; left -= 1) day = onBusinessDay(new Date(day.getTime() + dayMs));
  }
  return day.toISOString().slice(0, 10);
}

function onBusinessDay(day: Date): Date {
  const weekday = day.getUTCDay();
  const wait = weekday === 6 ? 2 : weekday === 0 ? 1 : 0;
  return new Date(day.getTime() + wait * dayMs);
}
