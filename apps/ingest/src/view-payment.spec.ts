import { PaymentId, type Payment } from '@sluice/payments';
import type { RunOutcome } from './ports.js';
import { createViewPayment } from './view-payment.js';

const paymentId = PaymentId.parse('p-1');
const startedAt = new Date('2030-01-15T12:00:00Z');
const payment: Payment = {
  paymentId,
  status: 'SCHEDULED',
  reason: null,
  participantId: null,
  rail: null,
  amount: null,
  reference: null,
  executeAt: null,
  scheduledTime: startedAt,
  expectedSettlementDate: null,
  fingerprint: '',
  initWorkflowId: 'init-payment-p-1',
  createdAt: startedAt,
  updatedAt: startedAt,
};

/** The row as each read finds it, one after the other. */
function view(rows: (Payment | undefined)[], run: RunOutcome) {
  const reads = rows.values();
  return createViewPayment({
    payments: { find: async () => reads.next().value },
    workflows: { find: async () => run },
  })(paymentId);
}

describe('looking at a payment', () => {
  test('shows its row', async () => {
    expect(await view([payment], { kind: 'unknown' })).toEqual({ kind: 'found', payment });
  });

  test('that has no row yet says since when it is being worked on', async () => {
    expect(await view([undefined, undefined], { kind: 'found', startedAt })).toEqual({
      kind: 'received',
      receivedAt: startedAt,
    });
  });

  test('whose row is written between the two questions shows the row', async () => {
    expect(await view([undefined, payment], { kind: 'found', startedAt })).toEqual({
      kind: 'found',
      payment,
    });
  });

  test('that nobody sent says so, and does not say so while Temporal cannot be asked', async () => {
    const cause = new Error('away');
    expect(await view([undefined], { kind: 'unknown' })).toEqual({ kind: 'unknown' });
    expect(await view([undefined], { kind: 'unavailable', cause })).toEqual({ kind: 'unavailable', cause });
  });

  test('says that it cannot tell while the database is away', async () => {
    const cause = new Error('away');
    const viewPayment = createViewPayment({
      payments: { find: () => Promise.reject(cause) },
      workflows: { find: async () => ({ kind: 'unknown' }) },
    });
    expect(await viewPayment(paymentId)).toEqual({ kind: 'unavailable', cause });
  });
});
