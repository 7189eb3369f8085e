import { createRailBench } from '../testing/rail-bench.js';
import type { RailBench } from '../testing/rail-bench.js';
import { startExecApi } from '../testing/exec-api.js';
import type { ExecApi } from '../testing/exec-api.js';
import type { Rail } from '../rails/rail.js';

const testName = process.env['TEST_NAME'] ?? 'alone';
const wire = {
  rail: 'WIRE',
  destination: { bic: 'CHASUS33', accountNumber: 'secret-account' },
  amount: { minorUnits: 100, currency: 'USD' },
};
const reason = 'because of the test';

let bench: RailBench;
let api: ExecApi;

/** ACH is a rail of the old kind here: it knows no keys and answers no questions. */
const oldFashioned = (rail: Rail): Rail =>
  rail.name === 'ACH'
    ? {
        name: rail.name,
        send: rail.send,
        capabilities: { recognisesKeys: false, answersStatus: false, finalOnExecution: true },
      }
    : rail;

beforeAll(async () => {
  bench = createRailBench(process.env);
  const board = await bench.startRelay({ railOf: oldFashioned, maxAttempts: 1 });
  api = await startExecApi(bench, board);
});
afterAll(async () => {
  await api.close();
  await bench.close();
});

const statuses = (name: string) => bench.statuses(`${testName}-${name}`);
const own = (name: string) => ({ participantId: `${testName}-${name}` });

async function deadLetter(name: string, code: string): Promise<string> {
  const instructionPrefix = `ins-${testName}-${name}`;
  await bench.rail.tell({ instructionPrefix, failure: 'answer', httpStatus: 422, code });
  const instructionId = await bench.pay(name, { ...wire, ...own(name) });
  await bench.reaches(instructionId, 'FAILED');
  await bench.rail.tell();
  return instructionId;
}

async function inDoubt(name: string): Promise<string> {
  const ach = { rail: 'ACH', destination: { routingNumber: '021000021', accountNumber: '1' } };
  await bench.rail.tell({ instructionPrefix: `ins-${testName}-${name}`, failure: 'silent' });
  const instructionId = await bench.pay(name, { ...wire, ...ach, ...own(name) });
  await bench.reaches(instructionId, 'IN_DOUBT');
  await bench.rail.tell();
  return instructionId;
}

describe('an instruction', () => {
  it('is shown with its attempts, without the account', async () => {
    const instructionId = await bench.pay('shown', { ...wire, ...own('shown') });
    await bench.reaches(instructionId, 'DISPATCHED');
    const { status, body } = await api.asReader(`GET /instructions/${instructionId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      instructionId,
      railType: 'WIRE',
      state: 'DISPATCHED',
      sequenceId: 1,
      attempts: [{ state: 'DISPATCHING' }, { state: 'DISPATCHED', code: 'EXECUTED' }],
    });
    expect(JSON.stringify(body)).not.toContain('secret-account');
  });

  it('that never was is not found, nor is a participant', async () => {
    const none = { status: 404, body: { code: 'INSTRUCTION_NOT_FOUND' } };
    expect(await api.asReader('GET /instructions/ins-nobody')).toMatchObject(none);
    const nobody = { status: 404, body: { code: 'PARTICIPANT_NOT_FOUND' } };
    expect(await api.asReader('GET /participants/nobody')).toMatchObject(nobody);
    for (const request of ['dead-letters/ins-nobody/redrive', 'dead-letters/ins-nobody/discard']) {
      expect(await api.asOperator(`POST /${request}`, { reason })).toMatchObject(none);
    }
  });

  it('is shown to readers only, and changed by operators only', async () => {
    expect((await api.asStranger('GET /instructions/ins-nobody')).status).toBe(403);
    expect((await api.asReader('POST /dead-letters/ins-nobody/redrive', { reason })).status).toBe(403);
    expect((await api.asReader('PUT /rails/SEPA/circuit', { mode: 'OPEN', reason })).status).toBe(403);
    expect((await api.asOperator('POST /rails/SEPA/notices', {})).status).toBe(403);
    expect((await api.asOperator('POST /dead-letters/ins-nobody/redrive', {})).status).toBe(422);
  });
});

describe('a dead letter', () => {
  it('is listed, found by its code, and sent again with actor and reason on record', async () => {
    const instructionId = await deadLetter('redriven', 'AB08');
    const listed = await api.asReader('GET /dead-letters?rail=WIRE&errorCode=AB08');
    expect(listed.body).toMatchObject({
      deadLetters: [{ instructionId, holds: false, errorCode: 'AB08', state: 'FAILED' }],
      nextCursor: null,
    });
    expect((await api.asReader('GET /dead-letters?errorCode=NONE')).body['deadLetters']).toEqual([]);
    const answer = await api.asOperator(`POST /dead-letters/${instructionId}/redrive`, { reason });
    expect(answer.status).toBe(200);
    const { attempts } = await bench.reaches(instructionId, 'DISPATCHED');
    expect(attempts).toContainEqual(
      expect.objectContaining({ state: 'REDRIVEN', actor: 'operator', reason }),
    );
    expect(await bench.rail.ledger(instructionId)).toHaveLength(1);
    expect(await statuses('redriven')).toContain('SETTLED');
    expect(await api.asOperator(`POST /dead-letters/${instructionId}/redrive`, { reason })).toMatchObject({
      status: 409,
      body: { code: 'NOT_A_DEAD_LETTER', state: 'DISPATCHED' },
    });
  });

  it('whose payment has failed stays one: its producer was told', async () => {
    const instructionId = await deadLetter('told', 'AC04');
    expect(await statuses('told')).toContain('FAILED');
    expect(await api.asOperator(`POST /dead-letters/${instructionId}/redrive`, { reason })).toMatchObject({
      status: 409,
      body: { code: 'PAYMENT_ENDED' },
    });
    const discarded = await api.asOperator(`POST /dead-letters/${instructionId}/discard`, { reason });
    expect(discarded).toMatchObject({ status: 200, body: { state: 'DISCARDED' } });
    expect(await bench.rail.ledger(instructionId)).toEqual([]);
  });

  it('is one of many that a filter finds: first shown, then sent, but those whose payment has ended', async () => {
    const open = [await deadLetter('bulk-1', 'TM01'), await deadLetter('bulk-2', 'TM01')];
    const ended = await deadLetter('bulk-3', 'TM01');
    const other = await deadLetter('bulk-4', 'AB05');
    await bench.payments.transitionMany(bench.pool, {
      from: 'ACCEPTED',
      to: 'FAILED',
      by: 'test',
      payments: [{ paymentId: `${testName}-bulk-3` as never, reason: { code: 'X', detail: 'x' } }],
    });
    const filter = { errorCode: 'TM01', reason };
    const refused = [{ instructionId: ended, why: 'its payment has ended FAILED' }];
    const shown = await api.asOperator('POST /dead-letters/redrive', filter);
    expect(shown.body).toEqual({ dryRun: true, redriven: open, refused, more: false });
    expect((await bench.outbox.findInstruction(open[0] ?? ''))?.state).toBe('FAILED');
    const done = await api.asOperator('POST /dead-letters/redrive', { ...filter, dryRun: false });
    expect(done.body).toEqual({ dryRun: false, redriven: open, refused, more: false });
    for (const instructionId of open) await bench.reaches(instructionId, 'DISPATCHED');
    expect((await bench.outbox.findInstruction(other))?.state).toBe('FAILED');
  });

  it('that is given up fails its payment, with an event', async () => {
    const instructionId = await deadLetter('given-up', 'AB08');
    expect(await statuses('given-up')).toEqual(['SCHEDULED', 'ACCEPTED']);
    const answer = await api.asOperator(`POST /dead-letters/${instructionId}/discard`, { reason });
    expect(answer).toMatchObject({ status: 200, body: { state: 'DISCARDED' } });
    expect(await statuses('given-up')).toEqual(['SCHEDULED', 'ACCEPTED', 'FAILED']);
    const queued = await bench.queued(`${testName}-given-up`);
    expect(queued.at(-1)?.payload).toMatchObject({
      type: 'payment.failed',
      data: { reason: { code: 'DISCARDED', detail: reason } },
    });
    expect(await api.asOperator(`POST /dead-letters/${instructionId}/discard`, { reason })).toMatchObject({
      status: 409,
      body: { code: 'NOT_A_DEAD_LETTER', state: 'DISCARDED' },
    });
  });

  it('comes page by page', async () => {
    const codes = ['AB05', 'AB08', 'TM01'];
    for (const [n, code] of codes.entries()) await deadLetter(`page-${n}`, code);
    const all = await api.asReader('GET /dead-letters?limit=1000');
    const wanted = (all.body['deadLetters'] as { instructionId: string }[]).map((one) => one.instructionId);
    const seen: string[] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const { body } = await api.asReader(`GET /dead-letters?limit=2${after}`);
      seen.push(...(body['deadLetters'] as { instructionId: string }[]).map((one) => one.instructionId));
      const cursor = body['nextCursor'];
      after = typeof cursor === 'string' ? `&cursor=${cursor}` : undefined;
    }
    expect(seen).toEqual(wanted);
  });
});

describe('an instruction in doubt', () => {
  it('holds its participant, is listed, and is settled by the reference that a person found', async () => {
    const instructionId = await inDoubt('found');
    const next = await bench.pay('found-next', { ...wire, ...own('found') });
    const held = {
      status: 200,
      body: { state: 'HELD', nextSequenceId: 3, heldBy: { instructionId, state: 'IN_DOUBT' } },
    };
    expect(await api.asReader(`GET /participants/${testName}-found`)).toMatchObject(held);
    const listed = await api.asReader(`GET /in-doubt?participantId=${testName}-found`);
    expect(listed.body).toMatchObject({ deadLetters: [{ instructionId, holds: true, state: 'IN_DOUBT' }] });

    const path = `POST /in-doubt/${instructionId}/resolve`;
    expect((await api.asOperator(path, { outcome: 'EXECUTED', reason })).status).toBe(422);
    const answer = await api.asOperator(path, { outcome: 'EXECUTED', reference: 'R-77', reason });
    expect(answer).toMatchObject({ status: 200, body: { state: 'DISPATCHED' } });
    expect((answer.body['attempts'] as unknown[]).at(-1)).toMatchObject({
      state: 'RESOLVED_EXECUTED',
      reference: 'R-77',
      actor: 'operator',
      reason,
    });
    await bench.reaches(next, 'DISPATCHED');
    expect(await api.asOperator(path, { outcome: 'RESEND', reason })).toMatchObject({
      status: 409,
      body: { code: 'NOT_IN_DOUBT', state: 'DISPATCHED' },
    });
  });

  it('that was not executed is a dead letter, and can be sent again', async () => {
    const instructionId = await inDoubt('not-done');
    const path = `POST /in-doubt/${instructionId}/resolve`;
    expect(await api.asOperator(path, { outcome: 'NOT_EXECUTED', reason })).toMatchObject({
      status: 200,
      body: { state: 'FAILED' },
    });
    await api.asOperator(`POST /dead-letters/${instructionId}/redrive`, { reason });
    await bench.reaches(instructionId, 'DISPATCHED');
    expect(await bench.rail.ledger(instructionId)).toHaveLength(1);
  });

  it('is sent again when a person says so', async () => {
    const instructionId = await inDoubt('resent');
    const answer = await api.asOperator(`POST /in-doubt/${instructionId}/resolve`, {
      outcome: 'RESEND',
      reason,
    });
    expect(answer.status).toBe(200);
    await bench.reaches(instructionId, 'DISPATCHED');
    expect(await bench.rail.ledger(instructionId)).toHaveLength(1);
  });
});

describe('a rail', () => {
  it('is stopped and let go by an operator, and every word is on record', async () => {
    const before = await api.asReader('GET /rails/RTP');
    expect(before.body).toMatchObject({
      rail: 'RTP',
      circuit: { state: 'CLOSED', mode: 'AUTO' },
      setting: null,
    });
    const opened = await api.asOperator('PUT /rails/RTP/circuit', { mode: 'OPEN', reason });
    expect(opened.body).toMatchObject({ circuit: { state: 'OPEN' }, setting: { by: 'operator', reason } });
    await api.asOperator('PUT /rails/RTP/circuit', { mode: 'AUTO', reason: 'over' });
    const { body } = await api.asReader('GET /rails');
    expect(body['rails']).toHaveLength(4);
    expect((await api.asReader('GET /rails/RTP/circuit/changes')).body).toMatchObject({
      changes: [
        { before: 'OPEN', after: 'AUTO', reason: 'over', by: 'operator' },
        { before: null, after: 'OPEN', reason, by: 'operator' },
      ],
    });
    await expect(bench.pool.query('DELETE FROM rail_circuit_changes')).rejects.toMatchObject({
      code: '23001',
    });
  });

  it('reports a settlement and a return', async () => {
    const instructionId = await bench.pay('reported', own('reported'));
    const path = 'POST /rails/SEPA/notices';
    const early = await api.asRail(path, { instructionId: 'ins-nobody', status: 'SETTLED' });
    expect(early).toMatchObject({ status: 404, body: { code: 'INSTRUCTION_NOT_FOUND' } });
    await bench.reaches(instructionId, 'DISPATCHED');
    for (let n = 0; n < 2; n += 1) {
      const settled = await api.asRail(path, { instructionId, status: 'SETTLED' });
      expect(settled).toMatchObject({ status: 200, body: { paymentStatus: 'SETTLED' } });
    }
    const returned = await api.asRail(path, { instructionId, status: 'RETURNED', code: 'AC06' });
    expect(returned).toMatchObject({ status: 200, body: { paymentStatus: 'RETURNED' } });
    expect(await statuses('reported')).toContain('RETURNED');
  });

  it('cannot settle what was never executed, nor what has failed', async () => {
    const instructionId = await deadLetter('never', 'AB08');
    expect(await api.asRail('POST /rails/WIRE/notices', { instructionId, status: 'SETTLED' })).toMatchObject({
      status: 409,
      body: { code: 'INSTRUCTION_NOT_EXECUTED', state: 'FAILED' },
    });
  });
});
