import {
  createRules,
  fingerprintOf,
  type Admission,
  type PaymentId,
  type PaymentRequest,
} from '@sluice/payments';
import { createAssessPayments, type AssessParts } from './assess-payments.js';

const receivedAt = '2030-01-15T12:00:00.000Z';

function request(paymentId: string, changes: Record<string, unknown> = {}): PaymentRequest {
  const raw: unknown = {
    paymentId,
    participantId: 'acme',
    rail: 'ACH',
    amount: { minorUnits: 1250, currency: 'USD' },
    destination: { routingNumber: '021000021', accountNumber: '1' },
    ...changes,
  };
  // Phase A gets what history holds: its type is a claim, which is what this step is there to check.
  return raw as PaymentRequest;
}

const admitAll = async (payments: readonly { request: PaymentRequest }[]): Promise<Admission[]> =>
  payments.map(({ request: { paymentId } }) => ({ kind: 'admitted', paymentId, flags: [] }));

async function assess(
  requests: PaymentRequest[],
  stored: PaymentRequest[] = [],
  changes: Partial<AssessParts> = {},
) {
  const assessPayments = createAssessPayments({
    assessment: {
      findStamps: async (ids) =>
        stored
          .filter(({ paymentId }) => ids.includes(paymentId))
          .map((one) => ({
            paymentId: one.paymentId,
            fingerprint: fingerprintOf(one),
            status: 'SCHEDULED',
            scheduledTime: new Date(0),
          })),
      admit: admitAll,
    },
    receipts: { find: async () => [] },
    calendars: {},
    rules: createRules({}),
    onRuleFailure: () => undefined,
    ...changes,
  });
  const verdicts = await assessPayments({ requests, receivedAt });
  return verdicts.toSorted((a, b) => a.index - b.index);
}

const kinds = async (...world: Parameters<typeof assess>) => (await assess(...world)).map(({ kind }) => kind);

describe('assessing the payments of a run', () => {
  test('asks for the time that was wished for, or for the time they came in', async () => {
    const verdicts = await assess([request('a'), request('b', { executeAt: '2030-01-15T16:00:00-07:00' })]);
    expect(verdicts).toEqual([
      { kind: 'ready', index: 0, paymentId: 'a', executeAt: receivedAt },
      { kind: 'ready', index: 1, paymentId: 'b', executeAt: '2030-01-15T23:00:00.000Z' },
    ]);
  });

  test('rejects one for its form or by a rule and lets the others pass', async () => {
    const verdicts = await assess([
      request('a'),
      request('b', { amount: { minorUnits: -1, currency: 'USD' } }),
      request('c', { amount: { minorUnits: 1, currency: 'EUR' } }),
      request('d'),
    ]);
    expect(verdicts.map(({ kind }) => kind)).toEqual(['ready', 'rejected', 'rejected', 'ready']);
    expect(verdicts[1]).toMatchObject({ paymentId: 'b', reason: { code: 'INVALID_REQUEST' } });
    expect(verdicts[2]).toMatchObject({ paymentId: 'c', reason: { code: 'CURRENCY_NOT_ON_RAIL' } });
  });

  test('knows a payment again, and another under its id', async () => {
    const stored = [request('a'), request('b')];
    expect(await kinds([request('a'), request('b', { reference: 'x' }), request('c')], stored)).toEqual([
      'known',
      'conflict',
      'ready',
    ]);
  });

  test('takes a payment once that is in the run twice, and the first of two that differ', async () => {
    expect(await kinds([request('a'), request('a')])).toEqual(['ready']);
    expect(await kinds([request('a'), request('a', { reference: 'x' })])).toEqual(['ready', 'conflict']);
  });

  test('passes over what has no usable id', async () => {
    expect(await kinds([request(''), request('a')])).toEqual(['unreadable', 'ready']);
    for (const raw of [null, 7, 'x', {}, { paymentId: 7 }]) {
      expect(await kinds([raw as unknown as PaymentRequest])).toEqual(['unreadable']);
    }
  });

  test('asks the table for each id once, and the rules that remember only for what passed the others', async () => {
    const asked: PaymentId[][] = [];
    const euros = request('c', { amount: { minorUnits: 1, currency: 'EUR' } });
    const verdicts = await assess([request('a'), request('b'), request('a'), euros], [], {
      assessment: {
        async findStamps(ids) {
          asked.push([...ids]);
          return [];
        },
        async admit(payments) {
          asked.push(payments.map((payment) => payment.request.paymentId));
          const [, ...others] = await admitAll(payments);
          const reason = { code: 'DAILY_LIMIT_EXCEEDED', detail: 'no' };
          return [{ kind: 'refused', paymentId: request('a').paymentId, reason }, ...others];
        },
      },
    });
    expect(asked).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b'],
    ]);
    expect(verdicts.map(({ kind }) => kind)).toEqual(['rejected', 'ready', 'rejected']);
  });

  test('counts from when the payment came, not from when it is assessed', async () => {
    const early = new Date('2030-01-15T11:00:00Z');
    const [verdict] = await assess([request('a')], [], {
      receipts: {
        find: async ([paymentId]) =>
          paymentId === undefined
            ? []
            : [
                {
                  paymentId,
                  fingerprint: '',
                  initWorkflowId: 'w',
                  traceparent: null,
                  intake: 'batch',
                  sentBy: 'shop',
                  receivedAt: early,
                },
              ],
      },
    });
    expect(verdict).toMatchObject({ kind: 'ready', executeAt: early.toISOString() });
  });
});
