import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import {
  buildExecContext,
  createPgPayments,
  fingerprintOf,
  type PaymentId,
  PaymentRequest,
  writeExecContext,
  type PaymentStatus,
} from '@sluice/payments';
import { initWorkflowType, type PaymentInitResult } from './phase-a.js';
import { eventually } from './testing/eventually.js';
import { startPhaseA, workflowBundle } from './testing/phase-a-worker.js';

const taskQueue = `phase-a-${process.env['TEST_NAME']}`;
let phaseA: Awaited<ReturnType<typeof startPhaseA>>;

beforeAll(async () => {
  phaseA = await startPhaseA({
    pgUrl: process.env['PG_URL'] ?? '',
    temporalAddress: process.env['TEMPORAL_ADDRESS'] ?? '',
    taskQueue,
  });
}, 60_000);
afterAll(() => phaseA.close(), 60_000);
afterEach(() => {
  expect([...phaseA.dying]).toEqual([]);
});

const tomorrow = Date.now() + 86_400_000;
const executeAt = new Date(tomorrow).toISOString();
const slot = new Date(tomorrow + 500);

function request(changes: Record<string, unknown> = {}): PaymentRequest {
  return PaymentRequest.parse({
    paymentId: `p-${randomUUID()}`,
    participantId: 'acme',
    rail: 'ACH',
    amount: { minorUnits: 1250, currency: 'USD' },
    destination: { routingNumber: '021000021', accountNumber: '12345' },
    executeAt,
    ...changes,
  });
}

/** What a chunk may hold although the intake should have stopped it. */
function malformed(changes: Record<string, unknown>): PaymentRequest {
  const raw: unknown = { ...request(), ...changes };
  return raw as PaymentRequest;
}

async function run(...requests: PaymentRequest[]): Promise<PaymentInitResult> {
  const result: unknown = await phaseA.client.workflow.execute(initWorkflowType, {
    args: [{ requests }],
    taskQueue,
    workflowId: `init-${randomUUID()}`,
  });
  return result as PaymentInitResult;
}

/** Everything that is stored of these payments, for comparing before with after. */
async function stored(...payments: { paymentId: PaymentId }[]) {
  const ids = [payments.map(({ paymentId }) => paymentId)];
  const read = async (sql: string) => (await phaseA.pool.query<Record<string, unknown>>(sql, ids)).rows;
  return {
    payments: await read('SELECT * FROM payments WHERE payment_id = ANY($1) ORDER BY payment_id'),
    changes: await read('SELECT * FROM payment_status_changes WHERE payment_id = ANY($1) ORDER BY change_id'),
    queue: await read('SELECT * FROM exec_queue WHERE item_id = ANY($1) ORDER BY item_id'),
    contexts: await read('SELECT * FROM exec_context WHERE item_id = ANY($1) ORDER BY item_id'),
    audit: await read('SELECT * FROM dispatch_audit_log WHERE item_id = ANY($1) ORDER BY audit_id'),
  };
}

async function expectReadyOnce(payment: PaymentRequest, scheduledTime = slot): Promise<void> {
  const rows = await stored(payment);
  expect(rows.payments).toHaveLength(1);
  expect(rows.payments[0]).toMatchObject({ status: 'SCHEDULED', scheduled_time: scheduledTime });
  expect(rows.changes.map(({ to_status }) => to_status)).toEqual(['SCHEDULED']);
  expect(rows.queue).toHaveLength(1);
  expect(rows.queue[0]).toMatchObject({ queue_status: 'READY', scheduled_exec_time: scheduledTime });
  expect(rows.contexts.map(({ context_json }) => context_json)).toEqual([
    writeExecContext(buildExecContext(payment, scheduledTime)),
  ]);
  expect(rows.audit.map(({ action }) => action)).toEqual(['ENQUEUED']);
}

const statusOf = async ({ paymentId }: PaymentRequest) => (await phaseA.views.find(paymentId))?.status;

describe('Phase A', () => {
  test('brings a payment to SCHEDULED and READY at the time of its slot', async () => {
    const payment = request();
    expect(await run(payment)).toEqual({
      scheduled: 1,
      rejected: 0,
      already: 0,
      conflicts: [],
      unreadable: 0,
    });
    await expectReadyOnce(payment);
    expect(phaseA.standIn.authorizations.at(-1)).toBe('Bearer slk_test_key');
  });

  test('gives a payment without a time the time it came in', async () => {
    const { executeAt: _none, ...without } = request();
    const payment = PaymentRequest.parse(without);
    const before = Date.now();
    await run(payment);
    const found = await phaseA.views.find(payment.paymentId);
    expect(found?.scheduledTime?.getTime()).toBeGreaterThanOrEqual(before);
    expect(found?.scheduledTime?.getTime()).toBeLessThanOrEqual(Date.now() + 500);
  });

  test('rejects the bad payments of a chunk, each with its reason, and holds up none of the others', async () => {
    const good = [request(), request(), request()];
    const wrongDigit = malformed({ destination: { routingNumber: '021000022', accountNumber: '1' } });
    const poison = malformed({ '\u0000': '\ud800', amount: null });
    const wrongCurrency = request({ amount: { minorUnits: 5, currency: 'EUR' } });
    const noSlot = request({ paymentId: `full-${randomUUID()}` });
    const nameless = malformed({ paymentId: 'not an id' });
    const chunk = [good[0], wrongDigit, poison, good[1], wrongCurrency, noSlot, nameless, good[2]];

    expect(await run(...chunk.filter((one) => one !== undefined))).toEqual({
      scheduled: 3,
      rejected: 4,
      already: 0,
      conflicts: [],
      unreadable: 1,
    });
    for (const payment of good) await expectReadyOnce(payment);
    const bad = [wrongDigit, poison, wrongCurrency, noSlot];
    const found = await Promise.all(bad.map(({ paymentId }) => phaseA.views.find(paymentId)));
    expect(found.map((payment) => payment?.status)).toEqual(bad.map(() => 'REJECTED'));
    expect(found.map((payment) => payment?.reason?.code)).toEqual([
      'INVALID_REQUEST',
      'INVALID_REQUEST',
      'CURRENCY_NOT_ON_RAIL',
      'NO_SLOT',
    ]);
    expect((await stored(...bad)).queue).toEqual([]);
  });

  test('takes 200 payments in one run, and no more', async () => {
    const many = Array.from({ length: 201 }, () => request());
    await expect(run(...many)).rejects.toThrow();
    expect((await stored(...many)).payments).toEqual([]);
    expect(await run(...many.slice(0, 200))).toMatchObject({ scheduled: 200 });
    expect((await stored(...many)).queue).toHaveLength(200);
  }, 60_000);

  test('waits for slot-assigner and then goes on', async () => {
    const payment = request();
    phaseA.standIn.behaviour = 'failing';
    const result = run(payment);
    await eventually(async () => expect(phaseA.standIn.asked.flat()).toContain(payment.paymentId));
    expect(await statusOf(payment)).toBeUndefined();
    phaseA.standIn.behaviour = 'ok';
    expect(await result).toMatchObject({ scheduled: 1 });
    await expectReadyOnce(payment);
  }, 60_000);
});

describe('a death', () => {
  test.each([
    'findStamps',
    'admit',
    'assessPayments',
    'assignSlots',
    'insertScheduled',
    'insertRejected',
    'announce',
    'schedule',
    'schedulePayments',
  ])('just after %s is repaired by the retry, as if nothing had been', async (step) => {
    const payment = request();
    const bad = request({ amount: { minorUnits: 5, currency: 'EUR' } });
    phaseA.dying.add(step);
    await run(payment, bad);
    await expectReadyOnce(payment);
    const rows = await stored(bad);
    expect(rows.changes.map(({ to_status }) => to_status)).toEqual(['REJECTED']);
    expect(rows.queue).toEqual([]);
  });

  test('that takes the whole run with it, between row and queue, is repaired by the next run at the time of the row', async () => {
    const payment = request();
    const earlier = new Date(tomorrow - 3_600_000);
    const fingerprint = fingerprintOf(payment);
    await createPgPayments().insertScheduled(phaseA.pool, [
      { request: payment, fingerprint, scheduledTime: earlier, initWorkflowId: 'lost' },
    ]);
    expect(await run(payment)).toMatchObject({ scheduled: 0, already: 1 });
    await expectReadyOnce(payment, earlier);
  });
});

describe('a second run', () => {
  test('of the same payments changes nothing and asks for no slot', async () => {
    const payment = request();
    const bad = request({ amount: { minorUnits: 5, currency: 'EUR' } });
    await run(payment, bad);
    const before = await stored(payment, bad);
    const asked = phaseA.standIn.asked.length;
    expect(await run(payment, bad, payment)).toEqual({
      scheduled: 0,
      rejected: 0,
      already: 2,
      conflicts: [],
      unreadable: 0,
    });
    expect(await stored(payment, bad)).toEqual(before);
    expect(phaseA.standIn.asked).toHaveLength(asked);
  });

  test('with another content under a taken id changes nothing and says so', async () => {
    const payment = request();
    await run(payment);
    const before = await stored(payment);
    const other = request();
    expect(await run({ ...payment, reference: 'changed' }, other)).toMatchObject({
      scheduled: 1,
      conflicts: [payment.paymentId],
    });
    expect(await stored(payment)).toEqual(before);
    await expectReadyOnce(other);
  });

  test.each<PaymentStatus>(['ACCEPTED', 'CANCELLED'])(
    'never queues a payment again that is %s, though its queue row is gone',
    async (status) => {
      const payment = request();
      await run(payment);
      await phaseA.pool.query('UPDATE payments SET status = $2 WHERE payment_id = $1', [
        payment.paymentId,
        status,
      ]);
      await phaseA.pool.query('DELETE FROM exec_queue WHERE item_id = $1', [payment.paymentId]);
      await phaseA.pool.query('DELETE FROM exec_context WHERE item_id = $1', [payment.paymentId]);
      expect(await run(payment)).toMatchObject({ already: 1 });
      expect((await stored(payment)).queue).toEqual([]);
    },
  );

  test('at the same moment gives every payment one row and one place in the queue', async () => {
    const many = Array.from({ length: 40 }, () => request());
    const results = await Promise.all([run(...many), run(...many.toReversed()), run(...many)]);
    expect(results.reduce((sum, { scheduled }) => sum + scheduled, 0)).toBe(40);
    for (const payment of many) await expectReadyOnce(payment);
  }, 60_000);
});

test('a history of Phase A replays to the same commands', async () => {
  const payment = request();
  const handle = await phaseA.client.workflow.start(initWorkflowType, {
    args: [{ requests: [payment] }],
    taskQueue,
    workflowId: `init-payment-${payment.paymentId}`,
  });
  await handle.result();
  await Worker.runReplayHistory({ workflowBundle }, await handle.fetchHistory());
});
