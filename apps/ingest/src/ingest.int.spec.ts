import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { PaymentId, readExecContext } from '@sluice/payments';
import { temporalInitWorkflows } from './adapters/temporal-init-workflows.js';
import { eventually } from './testing/eventually.js';
import { startIngestApi } from './testing/ingest-api.js';
import { startPhaseA } from './testing/phase-a-worker.js';

const taskQueue = `ingest-${process.env['TEST_NAME']}`;
let phaseA: Awaited<ReturnType<typeof startPhaseA>>;
let ingest: Awaited<ReturnType<typeof startIngestApi>>;

beforeAll(async () => {
  phaseA = await startPhaseA({
    pgUrl: process.env['PG_URL'] ?? '',
    temporalAddress: process.env['TEMPORAL_ADDRESS'] ?? '',
    taskQueue,
  });
  ingest = await startIngestApi(phaseA.useCases.api);
}, 60_000);
afterAll(async () => {
  await ingest.close();
  await phaseA.close();
}, 60_000);
beforeEach(() => {
  phaseA.standIn.behaviour = 'ok';
});

const executeAt = new Date(Date.now() + 86_400_000).toISOString();

function payment(changes: Record<string, unknown> = {}) {
  return {
    paymentId: `p-${randomUUID()}`,
    participantId: 'acme',
    rail: 'SEPA',
    amount: { minorUnits: 995, currency: 'EUR' },
    destination: { iban: 'DE89370400440532013000' },
    executeAt,
    ...changes,
  };
}

const eventualStatus = (paymentId: string, status: string) =>
  eventually(async () => {
    const { body } = await ingest.look(paymentId);
    expect(body['status']).toBe(status);
    return body;
  });

const queued = async (paymentId: string) => (await phaseA.queue.findItem('PAYMENT', paymentId))?.row;

describe('a payment over HTTP', () => {
  test('is answered 202 with its place, and goes on to SCHEDULED and READY', async () => {
    const sent = payment({ reference: 'invoice 7' });
    const reply = await ingest.send(sent);
    expect(reply.status).toBe(202);
    expect(reply.headers.get('location')).toBe(`/api/v1/payments/${sent.paymentId}`);
    expect(reply.body).toEqual({ paymentId: sent.paymentId, status: 'RECEIVED' });

    const body = await eventualStatus(sent.paymentId, 'SCHEDULED');
    expect(body).toMatchObject({
      paymentId: sent.paymentId,
      participantId: 'acme',
      rail: 'SEPA',
      amount: { minorUnits: 995, currency: 'EUR', text: '9.95 EUR' },
      reference: 'invoice 7',
      executeAt,
    });
    expect(JSON.stringify(body)).not.toContain('DE89370400440532013000');
    const row = await eventually(async () => {
      const found = await queued(sent.paymentId);
      expect(found).toMatchObject({ status: 'READY', initWorkflowId: `init-payment-${sent.paymentId}` });
      return found;
    });
    expect(row?.scheduledExecTime.toISOString()).toBe(body['scheduledTime']);
  });

  test('is RECEIVED while Phase A cannot go on, and is not lost', async () => {
    phaseA.standIn.behaviour = 'silent';
    const sent = payment();
    await ingest.send(sent);
    expect((await ingest.look(sent.paymentId)).body).toMatchObject({ status: 'RECEIVED' });
    phaseA.standIn.behaviour = 'endless';
    await eventually(async () => expect(phaseA.standIn.asked.flat()).toContain(sent.paymentId));
    phaseA.standIn.behaviour = 'ok';
    await eventualStatus(sent.paymentId, 'SCHEDULED');
  }, 60_000);

  test('is REJECTED with the reason if a rule is against it', async () => {
    const sent = payment({ amount: { minorUnits: 995, currency: 'USD' } });
    expect((await ingest.send(sent)).status).toBe(202);
    const body = await eventualStatus(sent.paymentId, 'REJECTED');
    const { rows } = await phaseA.pool.query<{ payload: unknown }>(
      'SELECT payload FROM payment_outbox_pending WHERE instruction_id = $1',
      [`evt-${sent.paymentId}-payment.rejected`],
    );
    expect(rows).toMatchObject([{ payload: { type: 'payment.rejected', data: { status: 'REJECTED' } } }]);
    expect(body['reason']).toEqual({ code: 'CURRENCY_NOT_ON_RAIL', detail: 'SEPA carries EUR, not USD' });
    expect(await queued(sent.paymentId)).toBeUndefined();
  });

  test('that was never sent is not known', async () => {
    const reply = await ingest.look(`p-${randomUUID()}`);
    expect(reply.status).toBe(404);
    expect(reply.body['code']).toBe('PAYMENT_UNKNOWN');
  });
});

describe('a payment that is sent again', () => {
  test('is answered as before, while Phase A runs and after it, and is one payment', async () => {
    phaseA.standIn.behaviour = 'failing';
    const sent = payment();
    const first = await ingest.send(sent);
    const second = await ingest.send({ ...sent, amount: { currency: 'EUR', minorUnits: 995 } });
    phaseA.standIn.behaviour = 'ok';
    await eventualStatus(sent.paymentId, 'SCHEDULED');
    const third = await ingest.send(sent);
    for (const reply of [first, second, third]) {
      expect(reply.status).toBe(202);
      expect(reply.body).toEqual(first.body);
    }
  }, 60_000);

  test('with another content is a conflict, while Phase A runs and after it', async () => {
    phaseA.standIn.behaviour = 'failing';
    const sent = payment();
    await ingest.send(sent);
    const changed = { ...sent, amount: { minorUnits: 996, currency: 'EUR' } };
    const during = await ingest.send(changed);
    phaseA.standIn.behaviour = 'ok';
    await eventualStatus(sent.paymentId, 'SCHEDULED');
    const after = await ingest.send(changed);
    for (const reply of [during, after]) {
      expect(reply.status).toBe(409);
      expect(reply.body['code']).toBe('PAYMENT_CONFLICT');
    }
    expect((await ingest.look(sent.paymentId)).body['amount']).toMatchObject({ minorUnits: 995 });
  }, 60_000);

  test('thirty times at one moment, in two forms, is taken in one form only', async () => {
    const one = payment();
    const other = { ...one, amount: { minorUnits: 996, currency: 'EUR' } };
    const forms = Array.from({ length: 30 }, (_, i) => (i % 2 === 0 ? one : other));
    const replies = await Promise.all(forms.map((form) => ingest.send(form)));
    const taken = new Set(
      replies.flatMap(({ status }, i) => (status === 202 ? [forms[i]?.amount.minorUnits] : [])),
    );
    expect(replies.map(({ status }) => status).filter((status) => status === 202)).toHaveLength(15);
    expect(replies.map(({ status }) => status).filter((status) => status === 409)).toHaveLength(15);
    const { amount } = await eventualStatus(one.paymentId, 'SCHEDULED');
    expect(taken).toEqual(new Set([(amount as { minorUnits: number }).minorUnits]));
  }, 60_000);
});

describe('a request that is not a payment', () => {
  test.each([
    ['a field that is not known', { priority: 1 }],
    ['a wrong check digit', { destination: { iban: 'DE89370400440532013001' } }],
    ['a destination of another rail', { destination: { bic: 'CHASUS33', accountNumber: '1' } }],
    ['a fraction of a cent', { amount: { minorUnits: 0.5, currency: 'EUR' } }],
    ['no amount', { amount: undefined }],
    ['a time without offset', { executeAt: '2030-01-15T16:00:00' }],
  ])('is refused with 422 for %s, and starts nothing', async (_what, changes) => {
    const sent = payment(changes);
    const reply = await ingest.send(sent);
    expect(reply.status).toBe(422);
    expect(reply.headers.get('content-type')).toContain('application/problem+json');
    expect(reply.body['errors']).not.toHaveLength(0);
    expect((await ingest.look(sent.paymentId)).status).toBe(404);
  });
});

describe('an Idempotency-Key', () => {
  test('belongs to the first body that came with it, for each caller by itself', async () => {
    const sent = payment();
    const key = { 'idempotency-key': `key-${randomUUID()}` };
    expect((await ingest.send(sent, key)).status).toBe(202);
    expect((await ingest.send(sent, key)).status).toBe(202);
    const reused = await ingest.send(payment(), key);
    expect([reused.status, reused.body['code']]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    const other = { ...key, authorization: ingest.otherAuthorization };
    expect((await ingest.send(payment(), other)).status).toBe(202);
    const batch = await ingest.sendBatch([sent], key);
    expect([batch.status, batch.body['code']]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
  });

  test('that is no key is refused', async () => {
    const reply = await ingest.send(payment(), { 'idempotency-key': 'with blanks' });
    expect([reply.status, reply.body['code']]).toEqual([400, 'IDEMPOTENCY_KEY_MALFORMED']);
  });
});

describe('a trace', () => {
  test('goes from the header of the request into the receipt, the run and the context', async () => {
    const sent = payment();
    const traceparent = `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`;
    await ingest.send(sent, { traceparent });
    await eventualStatus(sent.paymentId, 'SCHEDULED');
    const [receipt] = await phaseA.receipts.find([PaymentId.parse(sent.paymentId)]);
    expect(receipt).toMatchObject({ traceparent, intake: 'single', sentBy: 'producer' });
    const { memo } = await phaseA.client.workflow.getHandle(`init-payment-${sent.paymentId}`).describe();
    expect(memo).toEqual({ traceparent });
    const { rows } = await phaseA.pool.query<{ context_json: string }>(
      'SELECT context_json FROM exec_context WHERE item_id = $1',
      [sent.paymentId],
    );
    expect(readExecContext(rows[0]?.context_json ?? '')).toMatchObject({ traceparent });
  });
});

function cutOffFromTemporal() {
  const connection = Connection.lazy({ address: '127.0.0.1:1' });
  const client = new Client({ connection });
  const workflows = temporalInitWorkflows({ client, taskQueue, timeoutMs: 700 });
  return { connection, parts: phaseA.composeWith({ workflows }).api };
}

describe('while Temporal is away', () => {
  test('a payment is answered 503 in time, with nothing half done, and can be sent again', async () => {
    const { connection, parts } = cutOffFromTemporal();
    const cutOff = await startIngestApi(parts);
    const sent = payment();
    const reply = await cutOff.send(sent);
    expect(reply.status).toBe(503);
    expect(reply.body['code']).toBe('INTAKE_UNAVAILABLE');
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await cutOff.look(sent.paymentId)).status).toBe(503);
    expect((await cutOff.sendBatch([sent, payment()])).status).toBe(503);
    await cutOff.close();
    await connection.close();

    expect((await ingest.look(sent.paymentId)).status).toBe(404);
    expect((await ingest.send(sent)).status).toBe(202);
    await eventualStatus(sent.paymentId, 'SCHEDULED');
  }, 60_000);

  test('a payment that is in the table is shown, and known when it comes again', async () => {
    const sent = payment();
    await ingest.send(sent);
    await eventualStatus(sent.paymentId, 'SCHEDULED');
    const { connection, parts } = cutOffFromTemporal();
    const cutOff = await startIngestApi(parts);
    expect((await cutOff.look(sent.paymentId)).body['status']).toBe('SCHEDULED');
    expect((await cutOff.send(sent)).status).toBe(202);
    expect((await cutOff.send({ ...sent, reference: 'other' })).status).toBe(409);
    const mixed = await cutOff.sendBatch([sent, payment()]);
    expect(mixed.status).toBe(200);
    expect(mixed.body).toMatchObject({ repeated: 1, refused: 1, results: [{}, { outcome: 'unavailable' }] });
    await cutOff.close();
    await connection.close();
  }, 60_000);
});

describe('a run that failed', () => {
  test('is repaired by sending its payment again', async () => {
    phaseA.standIn.behaviour = 'failing';
    const sent = payment();
    await ingest.send(sent);
    await phaseA.client.workflow.getHandle(`init-payment-${sent.paymentId}`).terminate('by an operator');
    phaseA.standIn.behaviour = 'ok';
    expect((await ingest.send(sent)).status).toBe(202);
    await eventualStatus(sent.paymentId, 'SCHEDULED');
  }, 60_000);
});
