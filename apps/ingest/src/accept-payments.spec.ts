import { fingerprintOf, PaymentRequest } from '@sluice/payments';
import { createAcceptPayments, type Acceptance } from './accept-payments.js';
import type { ReceiptClaim, StartOutcome } from './ports.js';

const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

function arrival(paymentId: string, reference?: string, traceparent = trace) {
  const request = PaymentRequest.parse({
    paymentId,
    participantId: 'acme',
    rail: 'ACH',
    amount: { minorUnits: 1250, currency: 'USD' },
    destination: { routingNumber: '021000021', accountNumber: '1' },
    ...(reference === undefined ? {} : { reference }),
  });
  return { request, traceparent };
}

interface World {
  readonly claims?: Readonly<Record<string, ReceiptClaim['kind'] | 'other'>>;
  readonly start?: StartOutcome;
  readonly claimError?: Error;
}

function intake(world: World = {}) {
  const started: { workflowId: string; ids: string[]; traceparent: string | undefined }[] = [];
  const counted: string[] = [];
  const held = new Map<string, string>();
  const acceptPayments = createAcceptPayments({
    receipts: {
      async claim(receipts) {
        if (world.claimError !== undefined) throw world.claimError;
        return receipts.map(({ paymentId, fingerprint }): ReceiptClaim => {
          const earlier = held.get(paymentId);
          held.set(paymentId, earlier ?? fingerprint);
          if (earlier !== undefined && earlier !== fingerprint)
            return { kind: 'received', fingerprint: earlier };
          const kind = world.claims?.[paymentId] ?? 'new';
          return kind === 'other' ? { kind: 'received', fingerprint: 'x' } : { kind, fingerprint };
        });
      },
    },
    workflows: {
      async start({ workflowId, requests, traceparent }) {
        started.push({ workflowId, ids: requests.map(({ paymentId }) => paymentId), traceparent });
        return world.start ?? { kind: 'started' };
      },
    },
    metrics: { intake: (way, outcome) => counted.push(`${way} ${outcome}`) },
  });
  const accept = (...arrivals: ReturnType<typeof arrival>[]) =>
    acceptPayments(arrivals, { intake: 'batch', sentBy: 'shop' });
  return { accept, acceptPayments, started, counted };
}

const kinds = (acceptances: readonly Acceptance[]) => acceptances.map(({ kind }) => kind);

describe('taking in payments', () => {
  test('starts one run for all of them, under a name that follows from their content', async () => {
    const { accept, started, counted } = intake();
    expect(kinds(await accept(arrival('a'), arrival('b')))).toEqual(['accepted', 'accepted']);
    await accept(arrival('a'), arrival('b'));
    await accept(arrival('a'), arrival('b', 'other'));
    expect(started[0]).toMatchObject({ ids: ['a', 'b'], traceparent: trace });
    expect(started[1]?.workflowId).toBe(started[0]?.workflowId);
    expect(started[2]?.workflowId).not.toBe(started[0]?.workflowId);
    expect(counted.slice(0, 2)).toEqual(['batch accepted', 'batch accepted']);
  });

  test('names the run of a single payment after it', async () => {
    const { accept, started } = intake();
    await accept(arrival('a'));
    expect(started[0]?.workflowId).toBe('init-payment-a');
  });

  test('takes 200 into a run, and no more', async () => {
    const { accept, started } = intake();
    const many = Array.from({ length: 450 }, (_, i) => arrival(`p-${i}`));
    expect(await accept(...many)).toHaveLength(450);
    expect(started.map(({ ids }) => ids.length)).toEqual([200, 200, 50]);
  });

  test('starts what has a receipt and no row again, and leaves alone what has a row or another content', async () => {
    const { accept, started } = intake({ claims: { b: 'received', c: 'stored', d: 'other' } });
    const acceptances = await accept(arrival('a'), arrival('b'), arrival('c'), arrival('d'));
    expect(kinds(acceptances)).toEqual(['accepted', 'repeated', 'repeated', 'conflict']);
    expect(started.map(({ ids }) => ids)).toEqual([['a', 'b']]);
  });

  test('starts nothing when all of them have rows', async () => {
    const { accept, started } = intake({ claims: { a: 'stored' } });
    expect(kinds(await accept(arrival('a')))).toEqual(['repeated']);
    expect(started).toEqual([]);
  });

  test('takes the first of two with one id', async () => {
    const { accept, started } = intake();
    expect(kinds(await accept(arrival('a'), arrival('a'), arrival('a', 'other')))).toEqual([
      'accepted',
      'repeated',
      'conflict',
    ]);
    expect(started.map(({ ids }) => ids)).toEqual([['a']]);
  });

  test('knows a payment again behind another one under its id', async () => {
    const holder = fingerprintOf(arrival('a').request);
    const acceptPayments = createAcceptPayments({
      receipts: {
        claim: async (receipts) => receipts.map(() => ({ kind: 'received', fingerprint: holder })),
      },
      workflows: { start: async () => ({ kind: 'started' }) },
      metrics: { intake: () => undefined },
    });
    const delivery = { intake: 'kafka', sentBy: 't', workflowId: 'init-kafka-t-0-0-1' } as const;
    const acceptances = await acceptPayments([arrival('a', 'other'), arrival('a'), arrival('a')], delivery);
    expect(kinds(acceptances)).toEqual(['conflict', 'repeated', 'repeated']);
  });

  test('promises nothing while Temporal or the database is away', async () => {
    const cause = new Error('away');
    const noTemporal = intake({ start: { kind: 'unavailable', cause }, claims: { b: 'stored' } });
    expect(await noTemporal.accept(arrival('a'), arrival('b'), arrival('a'))).toEqual([
      { kind: 'unavailable', cause },
      { kind: 'repeated' },
      { kind: 'unavailable', cause },
    ]);
    const noDatabase = intake({ claimError: cause });
    expect(await noDatabase.accept(arrival('a'))).toEqual([{ kind: 'unavailable', cause }]);
    expect(noDatabase.counted).toEqual(['batch unavailable']);
  });

  test('is the same run again if it exists', async () => {
    const { accept } = intake({ start: { kind: 'exists' } });
    expect(kinds(await accept(arrival('a')))).toEqual(['accepted']);
  });

  test('compares by content, not by the order of its fields', async () => {
    const { request } = arrival('a', 'x');
    const turned = Object.fromEntries(Object.entries(request).toReversed());
    expect(fingerprintOf(turned)).toBe(fingerprintOf(request));
  });

  test('keeps the trace of each where they differ', async () => {
    const { accept, started } = intake();
    await accept(arrival('a'), arrival('b', undefined, trace.replace('a', 'c')));
    expect(started[0]?.traceparent).toBeUndefined();
  });
});
