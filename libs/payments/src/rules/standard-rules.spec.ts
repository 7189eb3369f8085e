import { PaymentRequest } from '../request.js';
import { enrichRequest } from './enrich-request.js';
import { applyRules, type PaymentRule } from './payment-rule.js';
import { RailCalendar } from './rail-calendar.js';
import { createRules, type RuleSettings } from './standard-rules.js';
import { validateRequest } from './validate-request.js';

const receivedAt = new Date('2030-01-15T12:00:00.000Z');

function payment(changes: Record<string, unknown> = {}): PaymentRequest {
  return PaymentRequest.parse({
    paymentId: 'p-1',
    participantId: 'acme',
    rail: 'ACH',
    amount: { minorUnits: 1250, currency: 'USD' },
    destination: { routingNumber: '021000021', accountNumber: '1' },
    ...changes,
  });
}

const objectionTo = (request: PaymentRequest, settings: RuleSettings = {}) =>
  applyRules(enrichRequest(request, receivedAt, settings.calendars), createRules(settings))?.code;

describe('validation', () => {
  test('names every problem by its path in one reason', () => {
    const outcome = validateRequest({ ...payment(), amount: { minorUnits: 0, currency: 'usd' } });
    expect(outcome).toMatchObject({ kind: 'invalid', reason: { code: 'INVALID_REQUEST' } });
    const detail = outcome.kind === 'invalid' ? outcome.reason.detail : '';
    expect(detail).toMatch(/amount\.minorUnits: .+; amount\.currency: /);
  });

  test('takes anything, and quotes it only in characters that a database can store', () => {
    const outcome = validateRequest({ ...payment(), ['\u0000\ud800'.repeat(400)]: 1 });
    const detail = outcome.kind === 'invalid' ? outcome.reason.detail : '';
    expect(detail).toContain('\u{FFFD}');
    expect(detail.length).toBeLessThanOrEqual(500);
    expect(detail.isWellFormed()).toBe(true);
    for (const input of [undefined, null, 7, 'x', [], {}])
      expect(validateRequest(input).kind).toBe('invalid');
  });
});

describe('enrichment', () => {
  test.each([
    ['no time was asked for', undefined, receivedAt],
    ['the time has passed', '2030-01-15T11:00:00Z', receivedAt],
    ['the time lies ahead', '2030-01-15T16:00:00-07:00', new Date('2030-01-15T23:00:00Z')],
  ])('runs at the right time when %s', (_case, executeAt, expected) => {
    const request = payment(executeAt === undefined ? {} : { executeAt });
    expect(enrichRequest(request, receivedAt).executeAt).toEqual(expected);
  });
});

describe('rules', () => {
  test('let an ordinary payment pass', () => {
    expect(objectionTo(payment())).toBeUndefined();
  });

  test('refuse a currency that the rail does not carry', () => {
    expect(objectionTo(payment({ amount: { minorUnits: 1, currency: 'EUR' } }))).toBe('CURRENCY_NOT_ON_RAIL');
    const wire = { rail: 'WIRE', destination: { bic: 'CHASUS33', accountNumber: '1' } };
    expect(objectionTo(payment({ ...wire, amount: { minorUnits: 1, currency: 'EUR' } }))).toBeUndefined();
  });

  test('refuse more than the rail carries, and not a cent less', () => {
    const usd = (minorUnits: number) => payment({ rail: 'RTP', amount: { minorUnits, currency: 'USD' } });
    expect(objectionTo(usd(1_000_000_000))).toBeUndefined();
    expect(objectionTo(usd(1_000_000_001))).toBe('AMOUNT_OVER_RAIL_LIMIT');
  });

  test('refuse a time more than a year ahead', () => {
    expect(objectionTo(payment({ executeAt: '2031-01-15T12:00:00Z' }))).toBeUndefined();
    expect(objectionTo(payment({ executeAt: '2031-02-15T12:00:00Z' }))).toBe('EXECUTE_AT_TOO_FAR');
  });

  test('refuse a time behind the cut-off only where the rail does not carry over', () => {
    const hours = { timeZone: 'America/New_York', opens: '08:00', cutOff: '16:45' };
    const refusing = { calendars: { ACH: RailCalendar.parse({ ...hours, late: 'refuse' }) } };
    const late = payment({ executeAt: '2030-01-15T21:45:00Z' });
    expect(objectionTo(late, refusing)).toBe('CUT_OFF_PASSED');
    expect(objectionTo(payment({ executeAt: '2030-01-15T21:44:59Z' }), refusing)).toBeUndefined();
    expect(objectionTo(late, { calendars: { ACH: RailCalendar.parse(hours) } })).toBeUndefined();
  });

  test.each([
    ['IR', { rail: 'WIRE', destination: { bic: 'BANKIRTH', accountNumber: '1' } }],
    ['DE', { rail: 'SEPA', destination: { iban: 'DE89370400440532013000' } }],
    ['US', { rail: 'ACH', destination: { routingNumber: '021000021', accountNumber: '1' } }],
  ])('refuse a destination in %s if that is blocked', (country, changes) => {
    const currency = changes.rail === 'ACH' ? 'USD' : 'EUR';
    const request = payment({ ...changes, amount: { minorUnits: 1, currency } });
    expect(objectionTo(request, { blockedCountries: new Set([country]) })).toBe('DESTINATION_BLOCKED');
    expect(objectionTo(request, { blockedCountries: new Set(['XX']) })).toBeUndefined();
  });
});

describe("a company's own rules", () => {
  // The example of docs/producing.md: this company sends no round thousands on weekends.
  const noRoundThousandsOnWeekends: PaymentRule = ({ request: { amount }, executeAt }) => {
    const isWeekend = [0, 6].includes(executeAt.getUTCDay());
    if (!isWeekend || amount.minorUnits % 100_000 !== 0) return undefined;
    return { code: 'ROUND_THOUSAND_ON_WEEKEND', detail: 'call us to release it' };
  };
  const ownRules = [noRoundThousandsOnWeekends];
  const round = { minorUnits: 500_000, currency: 'USD' };

  test('come behind the standard ones', () => {
    const saturday = '2030-01-19T12:00:00Z';
    const onWeekend = payment({ amount: round, executeAt: saturday });
    expect(objectionTo(onWeekend, { ownRules })).toBe('ROUND_THOUSAND_ON_WEEKEND');
    expect(objectionTo(payment({ amount: round }), { ownRules })).toBeUndefined();
    const euros = payment({ amount: { ...round, currency: 'EUR' }, executeAt: saturday });
    expect(objectionTo(euros, { ownRules })).toBe('CURRENCY_NOT_ON_RAIL');
  });

  test('that throw stop the payment and tell who asked', () => {
    const failures: string[] = [];
    const rules = createRules({
      ownRules: [
        function broken(): never {
          throw new Error('no table');
        },
      ],
    });
    const reason = applyRules(enrichRequest(payment(), receivedAt), rules, (rule) => failures.push(rule));
    expect(reason).toEqual({ code: 'RULE_FAILED', detail: 'the rule broken could not be applied' });
    expect(failures).toEqual(['broken']);
  });
});
