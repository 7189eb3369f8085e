import { PaymentRequest } from './request.js';

const common = { paymentId: 'p-1', participantId: 'acme', amount: { minorUnits: 1250, currency: 'USD' } };
const usAccount = { routingNumber: '021000021', accountNumber: '12345678' };

const byRail = {
  ACH: { ...common, rail: 'ACH', destination: usAccount },
  RTP: { ...common, rail: 'RTP', destination: usAccount },
  WIRE: { ...common, rail: 'WIRE', destination: { bic: 'CHASUS33', accountNumber: 'GB0033' } },
  SEPA: {
    ...common,
    rail: 'SEPA',
    amount: { minorUnits: 1, currency: 'EUR' },
    destination: { iban: 'DE89370400440532013000' },
  },
};

function problemsOf(input: unknown): string[] {
  const parsed = PaymentRequest.safeParse(input);
  return parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
}

describe('PaymentRequest', () => {
  test.each(Object.entries(byRail))(
    'takes a payment on %s with the destination of that rail',
    (_rail, request) => {
      expect(PaymentRequest.parse(request)).toEqual(request);
    },
  );

  test('leaves the request as it was sent, so that its fingerprint is that of the body', () => {
    const request = { ...byRail.ACH, executeAt: '2030-01-31T16:00:00-07:00', reference: 'rent, März' };
    expect(PaymentRequest.parse(request)).toEqual(request);
  });

  test('refuses the destination of another rail', () => {
    expect(problemsOf({ ...byRail.SEPA, destination: usAccount })).toContain('destination.iban');
  });

  test('refuses unknown fields, at the top and inside', () => {
    expect(problemsOf({ ...byRail.ACH, priority: 1 })).toEqual(['']);
    expect(problemsOf({ ...byRail.ACH, destination: { ...usAccount, name: 'x' } })).toEqual(['destination']);
  });

  test.each(['', 'a'.repeat(65), 'a b', 'ä', 'a/b'])('refuses the payment id %j', (paymentId) => {
    expect(problemsOf({ ...byRail.ACH, paymentId })).toEqual(['paymentId']);
  });

  test.each([0, -1, 1.5, 1e15 + 1, '100', null])('refuses %j minor units', (minorUnits) => {
    expect(problemsOf({ ...byRail.ACH, amount: { minorUnits, currency: 'USD' } })).toEqual([
      'amount.minorUnits',
    ]);
  });

  test.each(['usd', 'XAU', 'EURO', ''])('refuses the currency %j', (currency) => {
    expect(problemsOf({ ...byRail.ACH, amount: { minorUnits: 1, currency } })).toEqual(['amount.currency']);
  });

  test.each(['2030-01-31', '2030-01-31T16:00:00', '2030-02-30T16:00:00Z', 'tomorrow', 0])(
    'refuses the execution time %j, which is no instant with offset',
    (executeAt) => {
      expect(problemsOf({ ...byRail.ACH, executeAt })).toEqual(['executeAt']);
    },
  );

  test.each(['x'.repeat(141), 'a\u0000b', 'line\nline', '\ud800'])(
    'refuses the reference %j',
    (reference) => {
      expect(problemsOf({ ...byRail.ACH, reference })).toEqual(['reference']);
    },
  );

  test('refuses an unknown rail and names those there are', () => {
    const parsed = PaymentRequest.safeParse({ ...byRail.ACH, rail: 'CARRIER_PIGEON' });
    expect(parsed.error?.issues).toMatchObject([{ path: ['rail'], message: 'one of ACH, WIRE, RTP, SEPA' }]);
  });
});
