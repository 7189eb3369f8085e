import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpTimeline } from './adapters/http-timeline.js';
import { eventually } from './testing/eventually.js';
import { startIngestApi } from './testing/ingest-api.js';
import { startPhaseA } from './testing/phase-a-worker.js';

/** Answers of other services, by path; a path that is not there is a 404. */
const answers = new Map<string, unknown>();
let peers: Server;
let phaseA: Awaited<ReturnType<typeof startPhaseA>>;
let ingest: Awaited<ReturnType<typeof startIngestApi>>;
let timeline: ReturnType<typeof httpTimeline>;

beforeAll(async () => {
  peers = createServer((request, response) => {
    const body = answers.get(request.url ?? '');
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { code: 'NOT_FOUND' }));
  });
  await new Promise<void>((resolve) => peers.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(peers.address() as AddressInfo).port}`;
  timeline = httpTimeline({
    dispatcher: { url, key: 'slk_x' },
    execWorker: { url, key: undefined },
    webhookRelayer: { url: 'http://127.0.0.1:1', key: undefined },
    timeoutMs: 2000,
  });
  phaseA = await startPhaseA({
    pgUrl: process.env['PG_URL'] ?? '',
    temporalAddress: process.env['TEMPORAL_ADDRESS'] ?? '',
    taskQueue: `api-${process.env['TEST_NAME']}`,
    policy: { timeZone: 'UTC', duplicates: { action: 'flag', withinMs: 600_000 } },
    timelineSources: timeline.sources,
  });
  ingest = await startIngestApi(phaseA.useCases.api);
}, 60_000);
afterAll(async () => {
  await ingest.close();
  await phaseA.close();
  await timeline.close();
  peers.closeAllConnections();
  await new Promise((resolve) => peers.close(resolve));
}, 60_000);

const executeAt = new Date(Date.now() + 86_400_000).toISOString();
let account = 10_000;

function payment(changes: Record<string, unknown> = {}) {
  account += 1;
  return {
    paymentId: `p-${randomUUID()}`,
    participantId: 'acme',
    rail: 'ACH',
    amount: { minorUnits: 995, currency: 'USD' },
    destination: { routingNumber: '021000021', accountNumber: String(account) },
    executeAt,
    ...changes,
  };
}

async function sent(...payments: ReturnType<typeof payment>[]): Promise<void> {
  const { body } = await ingest.sendBatch(payments);
  expect(body).toMatchObject({ refused: 0 });
  for (const { paymentId } of payments)
    await eventually(
      async () => expect((await ingest.look(paymentId)).body['status']).not.toBe('RECEIVED'),
      60_000,
    );
}

const statusOf = async ({ paymentId }: { paymentId: string }) =>
  (await ingest.look(paymentId)).body['status'];
const idsOf = (body: Record<string, unknown>) =>
  (body['payments'] as { paymentId: string }[]).map(({ paymentId }) => paymentId);

describe('the list of payments', () => {
  test('comes in pages, newest first, without a gap and without one twice', async () => {
    const participantId = `list-${randomUUID()}`;
    const payments = Array.from({ length: 7 }, () => payment({ participantId }));
    await sent(...payments.slice(0, 4));
    await sent(...payments.slice(4));
    const seen: string[] = [];
    let cursor = '';
    do {
      const { status, body } = await ingest.list(`participantId=${participantId}&limit=3${cursor}`);
      expect(status).toBe(200);
      seen.push(...idsOf(body));
      cursor = typeof body['nextCursor'] === 'string' ? `&cursor=${body['nextCursor']}` : '';
    } while (cursor !== '');
    expect(seen).toHaveLength(7);
    expect(new Set(seen)).toEqual(new Set(payments.map(({ paymentId }) => paymentId)));
    expect(new Set(seen.slice(0, 3))).toEqual(new Set(payments.slice(4).map(({ paymentId }) => paymentId)));
  }, 60_000);

  test('can be narrowed by status, rail and time, and refuses what it does not know', async () => {
    const participantId = `filter-${randomUUID()}`;
    const good = payment({ participantId });
    const bad = payment({ participantId, amount: { minorUnits: 1, currency: 'EUR' } });
    await sent(good, bad);
    const list = async (query: string) =>
      idsOf((await ingest.list(`participantId=${participantId}&${query}`)).body);
    expect(await list('status=REJECTED')).toEqual([bad.paymentId]);
    expect(await list('status=SCHEDULED&rail=ACH')).toEqual([good.paymentId]);
    expect(await list('rail=SEPA')).toEqual([]);
    expect(await list(`createdBefore=${encodeURIComponent(new Date(0).toISOString())}`)).toEqual([]);
    for (const query of ['status=NONE', 'limit=0', 'cursor=x', 'colour=red'])
      expect((await ingest.list(query)).status).toBe(422);
  }, 60_000);
});

describe('a payment that is taken back', () => {
  const queueStatus = async (paymentId: string) =>
    (await phaseA.queue.findItem('PAYMENT', paymentId))?.row.status;

  test('will never run, with its row, its place in the queue and the news of it all changed together', async () => {
    const one = payment();
    await sent(one);
    const { status, body } = await ingest.cancel(one.paymentId, 'sent by mistake');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'CANCELLED',
      reason: { code: 'CANCELLED_BY_REQUEST', detail: 'sent by mistake' },
    });
    expect(await queueStatus(one.paymentId)).toBe('CANCELLED');
    const { rows } = await phaseA.pool.query(
      'SELECT 1 FROM payment_outbox_pending WHERE instruction_id = $1',
      [`evt-${one.paymentId}-payment.cancelled`],
    );
    expect(rows).toHaveLength(1);
    expect((await ingest.cancel(one.paymentId)).status).toBe(200);
    expect((await ingest.send(one)).status).toBe(202);
    expect(await statusOf(one)).toBe('CANCELLED');
  }, 60_000);

  test('is refused when the dispatcher has it, and nothing changes', async () => {
    const one = payment();
    await sent(one);
    await phaseA.pool.query(
      `UPDATE exec_queue SET queue_status = 'CLAIMED', dispatch_batch_id = 'B', claimed_at = now() WHERE item_id = $1`,
      [one.paymentId],
    );
    const { status, body } = await ingest.cancel(one.paymentId);
    expect(status).toBe(409);
    expect(body).toMatchObject({
      code: 'PAYMENT_NOT_CANCELLABLE',
      paymentStatus: 'SCHEDULED',
      queueStatus: 'CLAIMED',
    });
    expect(await statusOf(one)).toBe('SCHEDULED');
  }, 60_000);

  test('is refused after it has gone on, when it was rejected, and when nobody knows it', async () => {
    const [gone, bad] = [payment(), payment({ amount: { minorUnits: 1, currency: 'EUR' } })];
    await sent(gone, bad);
    await phaseA.pool.query(`UPDATE payments SET status = 'ACCEPTED' WHERE payment_id = $1`, [
      gone.paymentId,
    ]);
    for (const { paymentId } of [gone, bad])
      expect((await ingest.cancel(paymentId)).body['code']).toBe('PAYMENT_NOT_CANCELLABLE');
    expect(await queueStatus(gone.paymentId)).toBe('READY');
    expect((await ingest.cancel(randomUUID())).body['code']).toBe('PAYMENT_UNKNOWN');
  }, 60_000);

  test('is told to wait while Phase A has not written it', async () => {
    phaseA.standIn.behaviour = 'failing';
    const one = payment();
    await ingest.send(one);
    expect((await ingest.cancel(one.paymentId)).body['code']).toBe('PAYMENT_BEING_TAKEN_IN');
    phaseA.standIn.behaviour = 'ok';
    await eventually(async () => expect(await statusOf(one)).toBe('SCHEDULED'), 60_000);
  }, 90_000);

  test('is taken back or claimed, never both, when both happen at one moment', async () => {
    const payments = Array.from({ length: 20 }, () => payment());
    await sent(...payments);
    const claims = payments.map(({ paymentId }) =>
      phaseA.pool.query(
        `UPDATE exec_queue SET queue_status = 'CLAIMED', dispatch_batch_id = 'B', claimed_at = now() WHERE item_id = $1 AND queue_status = 'READY' RETURNING 1`,
        [paymentId],
      ),
    );
    const cancels = await Promise.all(payments.map(({ paymentId }) => ingest.cancel(paymentId)));
    const claimed = (await Promise.all(claims)).map(({ rows }) => rows.length === 1);
    cancels.forEach(({ status }, i) => expect(status === 200).toBe(!claimed[i]));
  }, 60_000);
});

describe('the limit of a participant', () => {
  test('is set over HTTP, holds for what comes then, and gives back what was taken back', async () => {
    const participantId = `limited-${randomUUID()}`;
    const path = `/api/v1/participants/${participantId}/limits`;
    const body = { perPaymentMinorUnits: null, perDayMinorUnits: 1000, perDayPayments: null };
    const set = await ingest.call('PUT', `${path}/USD`, { body });
    expect(set.body).toMatchObject({ limits: [{ ...body, currency: 'USD', updatedBy: 'producer' }] });
    const [first, second, third] = [
      payment({ participantId }),
      payment({ participantId }),
      payment({ participantId }),
    ];
    await sent(first, second);
    expect(await Promise.all([first, second].map(statusOf))).toEqual(['SCHEDULED', 'REJECTED']);
    expect((await ingest.look(second.paymentId)).body['reason']).toMatchObject({
      code: 'DAILY_LIMIT_EXCEEDED',
    });
    await ingest.cancel(first.paymentId);
    await sent(third);
    expect(await statusOf(third)).toBe('SCHEDULED');
  }, 60_000);

  test('is not used up by a payment that got no slot', async () => {
    const participantId = `slotless-${randomUUID()}`;
    const body = { perPaymentMinorUnits: null, perDayMinorUnits: null, perDayPayments: 1 };
    await ingest.call('PUT', `/api/v1/participants/${participantId}/limits/USD`, { body });
    const [full, next] = [
      payment({ participantId, paymentId: `full-${randomUUID()}` }),
      payment({ participantId }),
    ];
    await sent(full);
    expect((await ingest.look(full.paymentId)).body['reason']).toMatchObject({ code: 'NO_SLOT' });
    await sent(next);
    expect(await statusOf(next)).toBe('SCHEDULED');
  }, 60_000);
});

test('a payment that looks like one before it is flagged, and runs', async () => {
  const one = payment();
  await sent(one);
  const again = { ...one, paymentId: `p-${randomUUID()}` };
  await sent(again);
  const { body } = await ingest.look(again.paymentId);
  expect(body).toMatchObject({ status: 'SCHEDULED', flags: [{ code: 'DUPLICATE_SUSPECTED' }] });
  expect((await ingest.look(one.paymentId)).body['flags']).toBeUndefined();
}, 60_000);

describe('the timeline', () => {
  test('joins what every service knows in the order of time, and names the one that does not answer', async () => {
    const one = payment();
    await sent(one);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const latest = new Date(Date.now() + 7_200_000).toISOString();
    answers.set(`/api/v1/dispatch/items/PAYMENT/${one.paymentId}`, {
      execWorkflowId: `exec-payment-${one.paymentId}`,
      auditTrail: [{ action: 'DISPATCHED', batchId: 'BATCH-1', detail: null, createdAt: later, news: true }],
    });
    answers.set(`/api/v1/instructions/ins-${one.paymentId}`, {
      instructionId: `ins-${one.paymentId}`,
      railType: 'ACH',
      state: 'DISPATCHED',
      enqueuedAt: later,
      attempts: [{ attemptNo: 1, state: 'DISPATCHED', at: latest, reference: 'R-1' }],
    });
    await phaseA.pool.query(
      `INSERT INTO payment_status_changes (payment_id, from_status, to_status, changed_by) VALUES ($1, 'SCHEDULED', 'ACCEPTED', 'w')`,
      [one.paymentId],
    );
    const { status, body } = await ingest.timeline(one.paymentId);
    expect(status).toBe(200);
    expect(body).toMatchObject({ paymentId: one.paymentId, status: 'SCHEDULED', complete: false });
    expect(body['traceId']).toMatch(/^[0-9a-f]{32}$/);
    const steps = body['steps'] as { part: string; step: string; at: string; link?: string }[];
    expect(steps.map(({ part, step }) => `${part} ${step}`)).toEqual([
      'intake RECEIVED',
      'payment SCHEDULED',
      'payment ACCEPTED',
      'dispatch DISPATCHED',
      'rail INSTRUCTED',
      'rail DISPATCHED',
    ]);
    expect(steps[3]).toMatchObject({
      ids: { batchId: 'BATCH-1', execWorkflowId: `exec-payment-${one.paymentId}` },
    });
    expect(steps[5]?.link).toContain(`/api/v1/instructions/ins-${one.paymentId}`);
    expect(body['parts']).toMatchObject([
      { part: 'payment', service: 'ingest', state: 'found' },
      { part: 'dispatch', state: 'found' },
      { part: 'rail', state: 'found' },
      { part: 'notices', service: 'webhook-relayer', state: 'unavailable' },
    ]);
  }, 60_000);

  test('says what is absent and what is not set, and knows nothing of a payment that never came', async () => {
    const one = payment();
    await sent(one);
    expect((await ingest.timeline(one.paymentId)).body['parts']).toMatchObject([
      {},
      { part: 'dispatch', state: 'absent' },
      { part: 'rail', state: 'absent' },
      { part: 'notices', state: 'absent' },
    ]);
    const peer = { url: undefined, key: undefined };
    const unset = httpTimeline({ dispatcher: peer, execWorker: peer, webhookRelayer: peer, timeoutMs: 100 });
    const alone = await startIngestApi(
      phaseA.composeWith({ timeline: { ...timeline, sources: unset.sources } }).api,
    );
    expect((await alone.timeline(one.paymentId)).body).toMatchObject({
      complete: false,
      parts: [{}, { state: 'not-configured' }, { state: 'not-configured' }, { state: 'not-configured' }],
    });
    await alone.close();
    await unset.close();
    expect((await ingest.timeline(randomUUID())).body['code']).toBe('PAYMENT_UNKNOWN');
  }, 60_000);
});
