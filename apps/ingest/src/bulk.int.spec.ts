import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { createUploadPayments, type UploadReport } from './upload-payments.js';
import { eventually } from './testing/eventually.js';
import { startIngestApi } from './testing/ingest-api.js';
import { startPhaseA } from './testing/phase-a-worker.js';

const taskQueue = `bulk-${process.env['TEST_NAME']}`;
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

const executeAt = new Date(Date.now() + 86_400_000).toISOString();

function payment(changes: Record<string, unknown> = {}) {
  return {
    paymentId: `p-${randomUUID()}`,
    participantId: 'acme',
    rail: 'ACH',
    amount: { minorUnits: 995, currency: 'USD' },
    destination: { routingNumber: '021000021', accountNumber: '12345' },
    executeAt,
    ...changes,
  };
}

async function readyCount(payments: readonly { paymentId: string }[]): Promise<number> {
  const { rows } = await phaseA.pool.query<{ ready: number }>(
    `SELECT count(*)::integer AS ready FROM exec_queue WHERE queue_status = 'READY' AND item_id = ANY ($1)`,
    [payments.map(({ paymentId }) => paymentId)],
  );
  return rows[0]?.ready ?? 0;
}

const untilReady = (payments: readonly { paymentId: string }[]) =>
  eventually(async () => expect(await readyCount(payments)).toBe(payments.length), 60_000);

async function runsOf(payments: readonly { paymentId: string }[]): Promise<number> {
  const { rows } = await phaseA.pool.query<{ runs: number }>(
    'SELECT count(DISTINCT init_workflow_id)::integer AS runs FROM payments WHERE payment_id = ANY ($1)',
    [payments.map(({ paymentId }) => paymentId)],
  );
  return rows[0]?.runs ?? 0;
}

describe('a batch', () => {
  test('answers for each payment, and brings the good ones to READY in few runs', async () => {
    const good = Array.from({ length: 500 }, () => payment());
    const taken = payment();
    await ingest.sendBatch([taken]);
    const sent = [
      ...good,
      payment({ amount: { minorUnits: 0, currency: 'USD' } }),
      { ...taken, reference: 'other' },
      good[0],
      taken,
      'nonsense',
    ];
    const { status, body } = await ingest.sendBatch(sent);
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 500, repeated: 2, refused: 3 });
    const results = body['results'] as { index: number; outcome: string; problem?: { code: string } }[];
    expect(results.map(({ index }) => index)).toEqual(sent.map((_, i) => i));
    expect(results.slice(500)).toMatchObject([
      { outcome: 'invalid', problem: { code: 'INVALID_REQUEST' } },
      { outcome: 'conflict', problem: { code: 'PAYMENT_CONFLICT' } },
      { outcome: 'repeated' },
      { outcome: 'repeated' },
      { outcome: 'invalid' },
    ]);
    await untilReady(good);
    expect(await runsOf(good)).toBe(3);
  }, 90_000);

  test('that is sent again changes nothing', async () => {
    const sent = Array.from({ length: 300 }, () => payment());
    await ingest.sendBatch(sent);
    const again = await ingest.sendBatch(sent);
    expect(again.body).toMatchObject({ accepted: 0, repeated: 300, refused: 0 });
    await untilReady(sent);
    const last = await ingest.sendBatch(sent.toReversed());
    expect(last.body).toMatchObject({ accepted: 0, repeated: 300 });
    expect(await runsOf(sent)).toBe(2);
  }, 90_000);

  test('of more than 1,000 or of none is refused as a whole', async () => {
    for (const size of [0, 1001]) {
      const { status, body } = await ingest.sendBatch(Array.from({ length: size }, () => 'x'));
      expect([status, body['code']]).toEqual([422, 'VALIDATION_FAILED']);
    }
  });

  test('is shown as RECEIVED while Phase A cannot go on', async () => {
    phaseA.standIn.behaviour = 'failing';
    const [one, two] = [payment(), payment()];
    await ingest.sendBatch([one, two]);
    expect((await ingest.look(two.paymentId)).body).toMatchObject({ status: 'RECEIVED' });
    phaseA.standIn.behaviour = 'ok';
    await untilReady([one, two]);
  }, 60_000);
});

/** Sends pieces one after the other, when each is asked for, and reads the reports as they come. */
async function upload(pieces: Iterable<string> | AsyncIterable<string>): Promise<UploadReport[]> {
  const request = httpRequest(`${ingest.url}/api/v1/payments/upload`, {
    method: 'POST',
    headers: { authorization: ingest.authorization, 'content-type': 'application/x-ndjson' },
  });
  const answer = new Promise<string>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString()));
      response.on('end', () => resolve(text));
    });
  });
  for await (const piece of pieces)
    if (!request.write(piece)) await new Promise((resolve) => request.once('drain', resolve));
  request.end();
  return (await answer)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as UploadReport);
}

const lines = (payments: readonly unknown[]) => payments.map((one) => `${JSON.stringify(one)}\n`);

describe('an upload', () => {
  test('of thousands of payments tells its progress and brings them to READY in chunks of 200', async () => {
    const sent = Array.from({ length: 5000 }, () => payment());
    const reports = await upload(lines(sent));
    expect(reports.map(({ kind }) => kind)).toEqual(['progress', 'progress', 'done']);
    expect(reports.at(-1)).toEqual({ kind: 'done', lines: 5000, accepted: 5000, repeated: 0, refused: 0 });
    await untilReady(sent);
    expect(await runsOf(sent)).toBe(25);
  }, 120_000);

  test('names every line that it refuses, and takes the others', async () => {
    const [first, second] = [payment(), payment()];
    const text = [
      JSON.stringify(first),
      '',
      '{"paymentId":',
      JSON.stringify({ ...payment(), priority: 1 }),
      JSON.stringify({ ...first, reference: 'other' }),
      'x'.repeat(70_000),
      JSON.stringify(first),
      JSON.stringify(second),
    ].join('\r\n');
    const cut = Array.from({ length: Math.ceil(text.length / 700) }, (_, i) =>
      text.slice(i * 700, i * 700 + 700),
    );
    const reports = await upload(cut);
    expect(reports).toMatchObject([
      { kind: 'refused', line: 3, code: 'NOT_JSON' },
      { kind: 'refused', line: 4, code: 'INVALID_REQUEST' },
      { kind: 'refused', line: 5, paymentId: first.paymentId, code: 'PAYMENT_CONFLICT' },
      { kind: 'refused', line: 6, code: 'LINE_TOO_LONG' },
      { kind: 'done', lines: 8, accepted: 2, repeated: 1, refused: 4 },
    ]);
    await untilReady([first, second]);
  }, 60_000);

  test('that broke off is sent again as a whole, and every payment is taken once', async () => {
    const sent = Array.from({ length: 1000 }, () => payment());
    const request = httpRequest(`${ingest.url}/api/v1/payments/upload`, {
      method: 'POST',
      headers: { authorization: ingest.authorization, 'content-type': 'application/x-ndjson' },
    });
    request.on('error', () => undefined);
    request.write(lines(sent.slice(0, 450)).join(''));
    await eventually(async () => {
      const { rows } = await phaseA.pool.query('SELECT 1 FROM payment_receipts WHERE payment_id = ANY ($1)', [
        sent.map(({ paymentId }) => paymentId),
      ]);
      expect(rows.length).toBeGreaterThanOrEqual(400);
    });
    request.destroy();

    const reports = await upload(lines(sent));
    expect(reports.at(-1)).toMatchObject({ kind: 'done', lines: 1000, refused: 0 });
    await untilReady(sent);
    const { rows } = await phaseA.pool.query<{ changes: number }>(
      'SELECT count(*)::integer AS changes FROM payment_status_changes WHERE payment_id = ANY ($1)',
      [sent.map(({ paymentId }) => paymentId)],
    );
    expect(rows).toEqual([{ changes: 1000 }]);
  }, 90_000);

  test('stops with the line to go on from while the service stops', async () => {
    const stopping = new AbortController();
    const reports: UploadReport[] = [];
    const parts = phaseA.composeWith({});
    const uploadPayments = createUploadPayments({
      acceptPayments: parts.acceptPayments,
      stopping: stopping.signal,
      rest: async () => false,
    });
    const sent = Array.from({ length: 200 }, () => payment());
    async function* bytes(): AsyncGenerator<Buffer> {
      yield Buffer.from(lines(sent).join(''));
      stopping.abort();
      await new Promise(() => undefined);
    }
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    for await (const report of uploadPayments({ bytes: bytes(), callerId: 'shop', traceparent }))
      reports.push(report);
    expect(reports).toEqual([
      {
        kind: 'stopped',
        code: 'SHUTTING_DOWN',
        detail: 'This instance stops; another one takes the rest.',
        lines: 200,
        accepted: 200,
        repeated: 0,
        refused: 0,
      },
    ]);
    await untilReady(sent);
  }, 60_000);

  test('stops when Temporal stays away, without a promise for what it did not settle', async () => {
    const away = phaseA.composeWith({
      workflows: {
        ...phaseA.workflows,
        start: async () => ({ kind: 'unavailable', cause: new Error('away') }),
      },
    });
    const api = await startIngestApi(away.api);
    const answer = await fetch(`${api.url}/api/v1/payments/upload`, {
      method: 'POST',
      headers: { authorization: api.authorization, 'content-type': 'application/x-ndjson' },
      body: lines([payment()]).join(''),
    });
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(JSON.parse(await answer.text())).toMatchObject({
      kind: 'stopped',
      code: 'INTAKE_UNAVAILABLE',
      lines: 0,
    });
    await api.close();
  });
});
