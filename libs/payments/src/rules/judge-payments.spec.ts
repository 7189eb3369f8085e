import fc from 'fast-check';
import { PaymentRequest } from '../request.js';
import { enrichRequest } from './enrich-request.js';
import { judgePayments, type Candidate, type Memory } from './judge-payments.js';
import { likenessOf } from './likeness.js';

const receivedAt = new Date('2030-01-15T12:00:00Z');

function candidate(id: number, minorUnits: number): Candidate {
  const request = PaymentRequest.parse({
    paymentId: `p-${id}`,
    participantId: 'acme',
    rail: 'ACH',
    amount: { minorUnits, currency: 'USD' },
    destination: { routingNumber: '021000021', accountNumber: '1' },
  });
  return { payment: enrichRequest(request, receivedAt), accountKey: 'acme', likeness: likenessOf(request) };
}

function memory(perDayMinorUnits: bigint, perDayPayments: number): Memory {
  const limit = { perPaymentMinorUnits: null, perDayMinorUnits, perDayPayments };
  return { limits: new Map([['acme', limit]]), usage: new Map(), lookAlikes: new Map(), admitted: new Set() };
}

describe('judging payments in their order', () => {
  test('never admits more than the day has room for, and nothing less than fits', () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 1000 }), { maxLength: 40 });
    const limits = fc.record({
      amount: fc.integer({ min: 1, max: 5000 }),
      count: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(amounts, limits, (given, { amount, count }) => {
        const remembered = memory(BigInt(amount), count);
        const admissions = judgePayments(
          given.map((minorUnits, i) => candidate(i, minorUnits)),
          remembered,
          { action: 'off' },
        );
        let [sum, payments] = [0, 0];
        for (const [i, { kind }] of admissions.entries()) {
          const minorUnits = given[i] ?? 0;
          const fits = sum + minorUnits <= amount && payments + 1 <= count;
          expect(kind).toBe(fits ? 'admitted' : 'refused');
          if (fits) [sum, payments] = [sum + minorUnits, payments + 1];
        }
        const used = remembered.usage.get('acme');
        expect(used ?? { minorUnits: 0n, payments: 0 }).toEqual({ minorUnits: BigInt(sum), payments });
      }),
      { numRuns: 200 },
    );
  });

  test('takes nothing from the limit for a payment that is refused as a duplicate', () => {
    const remembered = memory(1000n, 10);
    const twins = [candidate(1, 100), candidate(2, 100)];
    const admissions = judgePayments(twins, remembered, { action: 'refuse', withinMs: 60_000 });
    expect(admissions.map(({ kind }) => kind)).toEqual(['admitted', 'refused']);
    expect(remembered.usage.get('acme')).toEqual({ minorUnits: 100n, payments: 1 });
  });
});
