import { fingerprintOf, PaymentRequest, type PaymentStamp } from '@sluice/payments';
import { createAcceptPayment } from './accept-payment.js';
import type { StartOutcome } from './ports.js';

const request = PaymentRequest.parse({
  paymentId: 'p-1',
  participantId: 'acme',
  rail: 'ACH',
  amount: { minorUnits: 1250, currency: 'USD' },
  destination: { routingNumber: '021000021', accountNumber: '1' },
});
const fingerprint = fingerprintOf(request);
const other = fingerprintOf({ ...request, reference: 'other' });

function stamp(of: string): PaymentStamp {
  return { paymentId: request.paymentId, fingerprint: of, status: 'REJECTED', scheduledTime: null };
}

function intake(world: { stored?: () => Promise<PaymentStamp[]>; start?: StartOutcome }) {
  const seen: string[] = [];
  const acceptPayment = createAcceptPayment({
    payments: { findStamps: world.stored ?? (async () => []) },
    workflows: {
      async start({ fingerprint: given }) {
        seen.push(`start ${given === fingerprint}`);
        return world.start ?? { kind: 'started' };
      },
    },
    metrics: { intake: (outcome) => seen.push(outcome) },
  });
  return { acceptPayment, seen };
}

describe('taking in a payment', () => {
  test('starts Phase A with the fingerprint of the request', async () => {
    const { acceptPayment, seen } = intake({});
    expect(await acceptPayment(request)).toEqual({ kind: 'accepted' });
    expect(seen).toEqual(['start true', 'accepted']);
  });

  test('that is in the table starts nothing, however long ago that was', async () => {
    const { acceptPayment, seen } = intake({ stored: async () => [stamp(fingerprint)] });
    expect(await acceptPayment(request)).toEqual({ kind: 'accepted' });
    expect(seen).toEqual(['repeated']);
  });

  test('under the id of another in the table is a conflict', async () => {
    const { acceptPayment, seen } = intake({ stored: async () => [stamp(other)] });
    expect(await acceptPayment(request)).toEqual({ kind: 'conflict' });
    expect(seen).toEqual(['conflict']);
  });

  test.each([
    ['the same', fingerprint, 'accepted'],
    ['another', other, 'conflict'],
    ['an unknown', undefined, 'conflict'],
  ])('whose Phase A was started with %s request is told by the fingerprint', async (_which, known, kind) => {
    const { acceptPayment } = intake({ start: { kind: 'exists', fingerprint: known } });
    expect(await acceptPayment(request)).toEqual({ kind });
  });

  test('promises nothing while Temporal or the database is away', async () => {
    const cause = new Error('away');
    const noTemporal = intake({ start: { kind: 'unavailable', cause } });
    expect(await noTemporal.acceptPayment(request)).toEqual({ kind: 'unavailable', cause });
    const noDatabase = intake({ stored: () => Promise.reject(cause) });
    expect(await noDatabase.acceptPayment(request)).toEqual({ kind: 'unavailable', cause });
    expect(noDatabase.seen).toEqual(['unavailable']);
  });
});
