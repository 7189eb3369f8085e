import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import * as fc from 'fast-check';
import { Pool } from 'pg';
import { fingerprintOf } from '../fingerprint.js';
import { PaymentId } from '../identifiers.js';
import { reasonOf } from '../reason.js';
import { PaymentRequest } from '../request.js';
import { validateRequest } from '../rules/validate-request.js';
import { paymentStatuses } from '../status.js';
import { createPgPayments } from './pg-payments.js';

const pool = new Pool({ connectionString: process.env['PG_URL'], max: 8 });
const payments = createPgPayments();
const scheduledTime = new Date('2030-01-15T16:00:02.500Z');
const by = 'test';

afterAll(() => pool.end());

function request(changes: Record<string, unknown> = {}): PaymentRequest {
  return PaymentRequest.parse({
    paymentId: `p-${randomUUID()}`,
    participantId: 'acme',
    rail: 'ACH',
    amount: { minorUnits: 1e15, currency: 'USD' },
    destination: { routingNumber: '021000021', accountNumber: '1' },
    reference: `it's "so", ü, {a,b}, NULL`,
    executeAt: '2030-01-15T09:00:00-07:00',
    ...changes,
  });
}

const scheduled = (of: PaymentRequest, time = scheduledTime) => ({
  request: of,
  fingerprint: fingerprintOf(of),
  scheduledTime: time,
  initWorkflowId: `init-payment-${of.paymentId}`,
});

const rejected = (paymentId: PaymentId, raw: unknown, reason = reasonOf('INVALID_REQUEST', 'no')) => ({
  paymentId,
  request: raw,
  fingerprint: fingerprintOf(raw),
  reason,
  initWorkflowId: 'init-1',
});

async function insertOne(): Promise<PaymentId> {
  const one = request();
  await payments.insertScheduled(pool, [scheduled(one)]);
  return one.paymentId;
}

const trail = async (paymentId: PaymentId) =>
  (await payments.listStatusChanges(pool, paymentId)).map(({ from, to }) => `${from} > ${to}`);

async function someoneWaitsForALock(): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if (rowCount) return;
    await setTimeout(10);
  }
}

describe('inserting payments', () => {
  test('keeps what the request said, with an audit row', async () => {
    const one = request();
    const outcomes = await payments.insertScheduled(pool, [scheduled(one)]);
    expect(outcomes).toEqual([
      { kind: 'inserted', paymentId: one.paymentId, status: 'SCHEDULED', scheduledTime },
    ]);
    expect(await payments.find(pool, one.paymentId)).toMatchObject({
      paymentId: one.paymentId,
      status: 'SCHEDULED',
      participantId: 'acme',
      rail: 'ACH',
      amount: { minorUnits: 1e15, currency: 'USD' },
      reference: one.reference,
      executeAt: new Date('2030-01-15T16:00:00Z'),
      scheduledTime,
      reason: null,
      expectedSettlementDate: null,
      fingerprint: fingerprintOf(one),
    });
    const changes = await payments.listStatusChanges(pool, one.paymentId);
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatchObject({ from: null, to: 'SCHEDULED', by: `init-payment-${one.paymentId}` });
  });

  test('takes 200 at once and answers in their order', async () => {
    const many = Array.from({ length: 200 }, () => request());
    const outcomes = await payments.insertScheduled(
      pool,
      many.map((one) => scheduled(one)),
    );
    expect(outcomes.map(({ paymentId }) => paymentId)).toEqual(many.map(({ paymentId }) => paymentId));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['inserted']));
  });

  test('again leaves the row alone, whatever time the second attempt brings', async () => {
    const one = request();
    await payments.insertScheduled(pool, [scheduled(one)]);
    const [again] = await payments.insertScheduled(pool, [scheduled(one, new Date('2031-01-01T00:00:00Z'))]);
    expect(again).toEqual({ kind: 'already', paymentId: one.paymentId, status: 'SCHEDULED', scheduledTime });
    expect(await trail(one.paymentId)).toEqual(['null > SCHEDULED']);
  });

  test('with a taken id and another request is a conflict and holds up nothing else', async () => {
    const one = request();
    const other = request();
    await payments.insertScheduled(pool, [scheduled(one)]);
    const changed = { ...one, reference: 'another' };
    const outcomes = await payments.insertScheduled(pool, [scheduled(changed), scheduled(other)]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['conflict', 'inserted']);
    expect((await payments.find(pool, one.paymentId))?.fingerprint).toBe(fingerprintOf(one));
  });

  test('as rejected after scheduled, or the other way round, changes nothing', async () => {
    const one = request();
    await payments.insertScheduled(pool, [scheduled(one)]);
    const [late] = await payments.insertRejected(pool, [rejected(one.paymentId, one)]);
    expect(late).toMatchObject({ kind: 'already', status: 'SCHEDULED' });

    const two = request();
    await payments.insertRejected(pool, [rejected(two.paymentId, two)]);
    const [later] = await payments.insertScheduled(pool, [scheduled(two)]);
    expect(later).toMatchObject({ kind: 'already', status: 'REJECTED', scheduledTime: null });
  });

  test('of two sessions at once gives each payment one row, in whatever order they come', async () => {
    const many = Array.from({ length: 50 }, () => scheduled(request()));
    const rounds = await Promise.all([
      payments.insertScheduled(pool, many),
      payments.insertScheduled(pool, many.toReversed()),
      payments.insertScheduled(pool, many),
    ]);
    expect(rounds.flat().filter(({ kind }) => kind === 'inserted')).toHaveLength(50);
    expect(rounds.flat().filter(({ kind }) => kind === 'already')).toHaveLength(100);
  });

  test('keeps a rejected request that no schema would take', async () => {
    const paymentId = PaymentId.parse(`p-${randomUUID()}`);
    const raw = { paymentId, amount: '\u0000', ['\ud800']: { deep: ['\u0000'] } };
    const outcome = validateRequest(raw);
    if (outcome.kind === 'valid') throw new Error('the request should be invalid');
    const [inserted] = await payments.insertRejected(pool, [rejected(paymentId, raw, outcome.reason)]);
    expect(inserted).toMatchObject({ kind: 'inserted', status: 'REJECTED' });
    expect(await payments.find(pool, paymentId)).toMatchObject({
      status: 'REJECTED',
      reason: outcome.reason,
      amount: null,
      rail: null,
    });
  });

  test('stores whatever text the schema lets through, and gives it back the same', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary', maxLength: 140 }), { maxLength: 50 }),
        async (texts) => {
          const raw = texts.map((reference) => ({ ...request(), paymentId: `p-${randomUUID()}`, reference }));
          const readable = raw.flatMap((one) => PaymentRequest.safeParse(one).data ?? []);
          const refused = raw.filter((one) => !PaymentRequest.safeParse(one).success);
          await payments.insertScheduled(
            pool,
            readable.map((one) => scheduled(one)),
          );
          await payments.insertRejected(
            pool,
            refused.map((one) => rejected(PaymentId.parse(one.paymentId), one)),
          );
          const found = await Promise.all(readable.map(({ paymentId }) => payments.find(pool, paymentId)));
          expect(found.map((payment) => payment?.reference)).toEqual(
            readable.map(({ reference }) => reference),
          );
        },
      ),
      { numRuns: 25 },
    );
  });

  test('joins the transaction of the caller', async () => {
    const one = request();
    const client = await pool.connect();
    await client.query('BEGIN');
    await payments.insertScheduled(client, [scheduled(one)]);
    await client.query('ROLLBACK');
    client.release();
    expect(await payments.find(pool, one.paymentId)).toBeUndefined();
    expect(await trail(one.paymentId)).toEqual([]);
  });
});

describe('a change of status', () => {
  test('is made once, with its audit row', async () => {
    const paymentId = await insertOne();
    const change = { paymentId, from: 'SCHEDULED', to: 'ACCEPTED', by } as const;
    expect(await payments.transition(pool, change)).toEqual({ kind: 'changed', status: 'ACCEPTED' });
    expect(await payments.transition(pool, change)).toEqual({ kind: 'already', status: 'ACCEPTED' });
    expect(await trail(paymentId)).toEqual(['null > SCHEDULED', 'SCHEDULED > ACCEPTED']);
  });

  test('that was made long ago is still known as made', async () => {
    const paymentId = await insertOne();
    const first = { paymentId, from: 'SCHEDULED', to: 'ACCEPTED', by } as const;
    await payments.transition(pool, first);
    await payments.transition(pool, { paymentId, from: 'ACCEPTED', to: 'PROCESSING', by });
    expect(await payments.transition(pool, first)).toEqual({ kind: 'already', status: 'PROCESSING' });
  });

  test('is refused if the payment stands elsewhere, or is not there', async () => {
    const paymentId = await insertOne();
    await payments.transition(pool, { paymentId, from: 'SCHEDULED', to: 'CANCELLED', by });
    const accept = { from: 'SCHEDULED', to: 'ACCEPTED', by } as const;
    expect(await payments.transition(pool, { ...accept, paymentId })).toEqual({
      kind: 'refused',
      status: 'CANCELLED',
    });
    const unknown = PaymentId.parse(`p-${randomUUID()}`);
    expect(await payments.transition(pool, { ...accept, paymentId: unknown })).toEqual({
      kind: 'refused',
      status: null,
    });
  });

  test('that the table of transitions does not have never reaches the database', async () => {
    const paymentId = await insertOne();
    await expect(
      payments.transition(pool, { paymentId, from: 'SCHEDULED', to: 'SETTLED', by }),
    ).rejects.toThrow('never goes from SCHEDULED to SETTLED');
    expect(await trail(paymentId)).toEqual(['null > SCHEDULED']);
  });

  test('keeps its reason in the row and in the trail', async () => {
    const paymentId = await insertOne();
    const reason = reasonOf('ACCOUNT_CLOSED', 'the account was closed');
    await payments.transition(pool, { paymentId, from: 'SCHEDULED', to: 'FAILED', reason, by });
    expect(await payments.find(pool, paymentId)).toMatchObject({ status: 'FAILED', reason });
    expect((await payments.listStatusChanges(pool, paymentId)).at(-1)).toMatchObject({ reason, by });
  });

  test('that two race for is made by one of them, and the other is told where it stands', async () => {
    const paymentId = await insertOne();
    const rival = await pool.connect();
    await rival.query('BEGIN');
    await payments.transition(rival, { paymentId, from: 'SCHEDULED', to: 'CANCELLED', by });
    const waiting = payments.transition(pool, { paymentId, from: 'SCHEDULED', to: 'ACCEPTED', by });
    await someoneWaitsForALock();
    await rival.query('COMMIT');
    rival.release();
    expect(await waiting).toEqual({ kind: 'refused', status: 'CANCELLED' });
    expect(await trail(paymentId)).toEqual(['null > SCHEDULED', 'SCHEDULED > CANCELLED']);
  });
});

describe('a change of status of many', () => {
  test('moves those that stand there, each with its own reason and audit row, and leaves the others alone', async () => {
    const [first, second, elsewhere] = [await insertOne(), await insertOne(), await insertOne()];
    await payments.transition(pool, { paymentId: elsewhere, from: 'SCHEDULED', to: 'CANCELLED', by });
    const reasons = [reasonOf('ACCOUNT_CLOSED', 'one'), reasonOf('LIMIT_EXCEEDED', 'two')] as const;
    const change = {
      from: 'SCHEDULED',
      to: 'FAILED',
      by,
      payments: [
        { paymentId: first, reason: reasons[0] },
        { paymentId: second, reason: reasons[1] },
        { paymentId: elsewhere, reason: reasons[1] },
        { paymentId: PaymentId.parse('p-nobody'), reason: reasons[1] },
      ],
    } as const;
    expect((await payments.transitionMany(pool, change)).toSorted()).toEqual([first, second].toSorted());
    expect(await payments.transitionMany(pool, change)).toEqual([]);
    expect(await payments.find(pool, first)).toMatchObject({ status: 'FAILED', reason: reasons[0] });
    expect((await payments.listStatusChanges(pool, second)).at(-1)).toMatchObject({ reason: reasons[1], by });
    expect(await trail(elsewhere)).toEqual(['null > SCHEDULED', 'SCHEDULED > CANCELLED']);
  });

  test('is made once, whatever else wants the same payments at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, insertOne));
    const move = (paymentIds: PaymentId[]) =>
      payments.transitionMany(pool, {
        from: 'SCHEDULED',
        to: 'ACCEPTED',
        by,
        payments: paymentIds.map((paymentId) => ({ paymentId })),
      });
    const moved = await Promise.all([move(ids), move(ids.toReversed()), move(ids)]);
    expect(moved.flat().toSorted()).toEqual(ids.toSorted());
  });

  test('is refused when the table of transitions does not have it', async () => {
    const change = { from: 'SETTLED', to: 'SCHEDULED', by, payments: [] } as const;
    await expect(payments.transitionMany(pool, change)).rejects.toThrow(
      'never goes from SETTLED to SCHEDULED',
    );
  });
});

test('the table knows the same statuses as the code', async () => {
  const { rows } = await pool.query<{ definition: string }>(
    `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = 'payments_status_check'`,
  );
  const known = [...(rows[0]?.definition ?? '').matchAll(/'([A-Z]+)'/g)].map(([, status]) => status);
  expect(known.toSorted()).toEqual([...paymentStatuses].sort());
});

describe('the audit trail', () => {
  test.each([
    `UPDATE payment_status_changes SET changed_by = 'me'`,
    'DELETE FROM payment_status_changes',
    'TRUNCATE payment_status_changes',
  ])('refuses %s', async (statement) => {
    await expect(pool.query(statement)).rejects.toMatchObject({ code: '23001' });
  });
});

describe('the expected settlement', () => {
  test('is a calendar day, whatever time zone the reader sits in', async () => {
    const paymentId = await insertOne();
    expect(await payments.setExpectedSettlement(pool, { paymentId, date: '2030-01-16' })).toBe(true);
    const first = await payments.find(pool, paymentId);
    expect(await payments.setExpectedSettlement(pool, { paymentId, date: '2030-01-16' })).toBe(true);
    expect(await payments.find(pool, paymentId)).toEqual(first);
    expect(first?.expectedSettlementDate).toBe('2030-01-16');
  });

  test('of an unknown payment is not noted', async () => {
    const paymentId = PaymentId.parse(`p-${randomUUID()}`);
    expect(await payments.setExpectedSettlement(pool, { paymentId, date: '2030-01-16' })).toBe(false);
  });
});
