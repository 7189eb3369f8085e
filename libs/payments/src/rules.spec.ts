import { PaymentRequest } from './request.js';
import { applyRules, enrichRequest, standardRules, validateRequest } from './rules.js';

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

const objectionTo = (request: PaymentRequest) =>
  applyRules(enrichRequest(request, receivedAt), standardRules)?.code;

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

  test('of a company come behind the standard ones', () => {
    const own = () => ({ code: 'OWN', detail: 'no' });
    const rules = [...standardRules, own];
    expect(applyRules(enrichRequest(payment(), receivedAt), rules)?.code).toBe('OWN');
    const euros = payment({ amount: { minorUnits: 1, currency: 'EUR' } });
    expect(applyRules(enrichRequest(euros, receivedAt), rules)?.code).toBe('CURRENCY_NOT_ON_RAIL');
  });
});
