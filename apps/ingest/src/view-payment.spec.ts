import { PaymentId, type Payment } from '@sluice/payments';
import type { Receipt, RunOutcome } from './ports.js';
import { createViewPayment } from './view-payment.js';

const paymentId = PaymentId.parse('p-1');
const receivedAt = new Date('2030-01-15T12:00:00Z');
const payment: Payment = {
  paymentId,
  status: 'SCHEDULED',
  reason: null,
  participantId: null,
  rail: null,
  amount: null,
  reference: null,
  executeAt: null,
  scheduledTime: receivedAt,
  expectedSettlementDate: null,
  fingerprint: '',
  initWorkflowId: 'init-payment-p-1',
  createdAt: receivedAt,
  updatedAt: receivedAt,
};
const receipt: Receipt = {
  paymentId,
  fingerprint: '',
  initWorkflowId: 'init-chunk-1',
  intake: 'batch',
  sentBy: 'shop',
  traceparent: null,
  receivedAt,
};

function view(world: { rows: (Payment | undefined)[]; receipts?: Receipt[]; run?: RunOutcome | Error }) {
  const rows = [...world.rows];
  return createViewPayment({
    views: { find: async () => rows.shift(), listFlags: async () => [] },
    receipts: { find: async () => world.receipts ?? [receipt] },
    workflows: {
      async find(workflowId) {
        expect(workflowId).toBe('init-chunk-1');
        if (world.run instanceof Error) throw world.run;
        return world.run ?? { kind: 'found', startedAt: receivedAt };
      },
    },
  })(paymentId);
}

describe('looking up a payment', () => {
  test('shows its row', async () => {
    expect(await view({ rows: [payment] })).toEqual({ kind: 'found', payment, flags: [] });
  });

  test('tells of one that is on its way in by its receipt and its run', async () => {
    expect(await view({ rows: [] })).toEqual({ kind: 'received', receivedAt });
  });

  test('looks again after it found the run, since Phase A may just have written the row', async () => {
    expect(await view({ rows: [undefined, payment] })).toMatchObject({ kind: 'found' });
    expect(await view({ rows: [undefined, payment], run: { kind: 'unknown' } })).toMatchObject({
      kind: 'found',
    });
  });

  test('does not know one without a receipt, nor one whose start failed', async () => {
    expect(await view({ rows: [], receipts: [] })).toEqual({ kind: 'unknown' });
    expect(await view({ rows: [], run: { kind: 'unknown' } })).toEqual({ kind: 'unknown' });
  });

  test('does not claim that there is none while something is away', async () => {
    const cause = new Error('away');
    expect(await view({ rows: [], run: { kind: 'unavailable', cause } })).toEqual({
      kind: 'unavailable',
      cause,
    });
    expect(await view({ rows: [], run: cause })).toEqual({ kind: 'unavailable', cause });
  });
});
