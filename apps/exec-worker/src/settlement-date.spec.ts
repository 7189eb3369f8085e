import { expectedSettlementDate } from './settlement-date.js';

describe('the expected settlement date', () => {
  it.each([
    ['RTP', '2026-03-04T23:59:59Z', '2026-03-04'],
    ['RTP', '2026-03-07T12:00:00Z', '2026-03-07'],
    ['WIRE', '2026-03-04T12:00:00Z', '2026-03-04'],
    ['WIRE', '2026-03-07T12:00:00Z', '2026-03-09'],
    ['SEPA', '2026-03-04T12:00:00Z', '2026-03-05'],
    ['SEPA', '2026-03-06T12:00:00Z', '2026-03-09'],
    ['SEPA', '2026-03-08T12:00:00Z', '2026-03-10'],
    ['ACH', '2026-03-04T12:00:00Z', '2026-03-06'],
    ['ACH', '2026-03-05T12:00:00Z', '2026-03-09'],
    ['ACH', '2026-12-31T12:00:00Z', '2027-01-04'],
  ] as const)('of %s executed at %s is %s', (rail, executedAt, date) => {
    expect(expectedSettlementDate(rail, new Date(executedAt))).toBe(date);
  });
});
