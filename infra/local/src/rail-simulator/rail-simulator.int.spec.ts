import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { control, createBench, eventually, ledgerOf } from '../ledger/testing.js';
import type { Bench, RunningSimulator } from '../ledger/testing.js';
import type { RailLedgerLine } from './instruction.js';

const shortly = () => AbortSignal.timeout(300);

function instruction(id: string, minorUnits = 1250) {
  const amount = { minorUnits, currency: 'EUR' };
  const destination = { iban: 'DE89370400440532013000' };
  return {
    instructionId: `ins-${id}`,
    paymentId: id,
    participantId: 'acme',
    sequence: 1,
    amount,
    destination,
  };
}

describe('rail simulator', () => {
  let bench: Bench;
  let rail: RunningSimulator;
  let file: string;

  beforeAll(async () => {
    bench = await createBench();
    file = join(bench.folder, 'rail.ndjson');
    rail = await bench.start('rail-simulator', file);
  });
  afterEach(() => fetch(`${rail.url}/control/rules`, { method: 'DELETE' }));
  afterAll(() => bench.clear());

  function send(
    id: string,
    { minorUnits = 1250, key = `ins-${id}`, signal = AbortSignal.timeout(10_000) } = {},
  ) {
    const body = JSON.stringify(instruction(id, minorUnits));
    const headers = { 'idempotency-key': key, 'content-type': 'application/json' };
    return fetch(`${rail.url}/rails/SEPA/instructions`, { method: 'POST', headers, body, signal });
  }
  async function sent(id: string, options?: Parameters<typeof send>[1]) {
    const answer = await send(id, options);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
  async function status(key: string) {
    const answer = await fetch(`${rail.url}/rails/SEPA/instructions/${encodeURIComponent(key)}`);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
  const lines = (id: string) => ledgerOf<RailLedgerLine>(rail.url, `?instructionPrefix=ins-${id}`);
  const tell = async (...rules: unknown[]) => {
    expect((await control(rail.url, 'rules', rules)).status).toBe(200);
  };

  it('executes an instruction, writes it into the ledger and answers the status query', async () => {
    expect(await status('ins-plain')).toEqual({ status: 404, body: { status: 'UNKNOWN' } });
    const { status: code, body } = await sent('plain');
    expect({ code, body }).toEqual({
      code: 200,
      body: {
        status: 'EXECUTED',
        reference: expect.stringMatching(/^SEPA-\d{9}$/) as string,
        replayed: false,
      },
    });
    expect(await status('ins-plain')).toEqual({
      status: 200,
      body: { status: 'EXECUTED', reference: body['reference'] },
    });
    expect(await lines('plain')).toMatchObject([
      {
        rail: 'SEPA',
        instructionId: 'ins-plain',
        idempotencyKey: 'ins-plain',
        paymentId: 'plain',
        participantId: 'acme',
        sequence: 1,
        minorUnits: 1250,
        currency: 'EUR',
        reference: body['reference'],
      },
    ]);
  });

  it('answers a repeated key like the first time, and refuses it with another body', async () => {
    const first = await sent('again');
    expect((await sent('again')).body).toEqual({ ...first.body, replayed: true });
    const other = await sent('again', { minorUnits: 1251 });
    expect(other).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_CONFLICT' } });
    expect(await lines('again')).toHaveLength(1);
  });

  it('executes once when one key comes many times at once', async () => {
    await tell({ failure: 'slow', delayMs: 20, instructionPrefix: 'ins-herd' });
    const answers = await Promise.all(Array.from({ length: 40 }, () => sent('herd')));
    expect(answers.filter(({ body }) => body['replayed'] === false)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body['reference'])).size).toBe(1);
    expect(await lines('herd')).toHaveLength(1);
  });

  it('fails before executing, as often as it was told to', async () => {
    await tell({ failure: 'before', instructionPrefix: 'ins-before', times: 2 });
    for (const _time of [1, 2]) {
      expect(await sent('before')).toMatchObject({ status: 503, body: { code: 'RAIL_UNAVAILABLE' } });
    }
    expect(await lines('before')).toEqual([]);
    expect(await sent('before')).toMatchObject({ status: 200, body: { replayed: false } });
  });

  it('is out: neither instructions nor status queries are answered until it is told so', async () => {
    await sent('out-known');
    await tell({ failure: 'outage', instructionPrefix: 'ins-out' });
    expect(await sent('out-new')).toMatchObject({ status: 503, body: { code: 'RAIL_UNAVAILABLE' } });
    expect(await status('ins-out-known')).toMatchObject({ status: 503 });
    expect(await status('ins-elsewhere')).toMatchObject({ status: 404 });
    await tell();
    expect(await status('ins-out-known')).toMatchObject({ status: 200 });
    expect(await lines('out-new')).toEqual([]);
  });

  it('answers in the words it was given, without executing', async () => {
    await tell({
      failure: 'answer',
      httpStatus: 403,
      code: 'FORBIDDEN',
      instructionPrefix: 'ins-words',
      times: 1,
    });
    expect(await sent('words')).toEqual({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await lines('words')).toEqual([]);
    expect(await sent('words')).toMatchObject({ status: 200, body: { replayed: false } });
  });

  it('has a kind of rail without keys: it executes whatever comes and answers no status query', async () => {
    const url = `${rail.url}/rails/KEYLESS-SEPA/instructions`;
    const send = async () =>
      (await fetch(url, { method: 'POST', body: JSON.stringify(instruction('keyless')) })).status;
    expect([await send(), await send()]).toEqual([200, 200]);
    expect(await lines('keyless')).toHaveLength(2);
    expect((await fetch(`${url}/ins-keyless`)).status).toBe(404);
  });

  it('fails after executing: the connection drops, the execution stands', async () => {
    await tell({ failure: 'after', instructionPrefix: 'ins-after', times: 1 });
    await expect(send('after')).rejects.toThrow('fetch failed');
    expect((await status('ins-after')).status).toBe(200);
    expect(await sent('after')).toMatchObject({ status: 200, body: { replayed: true } });
    expect(await lines('after')).toHaveLength(1);
  });

  it('is slow: executes and answers after the delay, also when the sender has gone meanwhile', async () => {
    await tell({ failure: 'slow', delayMs: 600, instructionPrefix: 'ins-slow' });
    const began = performance.now();
    const answered = sent('slow-waited');
    await expect(send('slow-left', { signal: shortly() })).rejects.toThrow('timeout');
    expect((await status('ins-slow-left')).status).toBe(404);
    expect(await answered).toMatchObject({ status: 200, body: { replayed: false } });
    expect(performance.now() - began).toBeGreaterThanOrEqual(590);
    await eventually(
      () => lines('slow-left'),
      (found) => found.length === 1,
    );
  });

  it.each([
    [false, 0],
    [true, 1],
  ])(
    'is silent: with executes %s the ledger has %i lines and nobody hears of it',
    async (executes, count) => {
      const id = `silent-${executes}`;
      await tell({ failure: 'silent', executes, instructionPrefix: `ins-${id}`, times: 1 });
      await expect(send(id, { signal: shortly() })).rejects.toThrow('timeout');
      expect(await lines(id)).toHaveLength(count);
      expect(await sent(id)).toMatchObject({ status: 200, body: { replayed: executes } });
      expect(await lines(id)).toHaveLength(1);
    },
  );

  it('rejects for good with the code it was given, but not what it has executed', async () => {
    await sent('reject-late');
    await tell({ failure: 'reject', code: 'ACCOUNT_CLOSED', instructionPrefix: 'ins-reject' });
    expect(await sent('reject')).toMatchObject({ status: 422, body: { code: 'ACCOUNT_CLOSED' } });
    expect(await sent('reject-late')).toMatchObject({ status: 200, body: { replayed: true } });
    expect((await lines('reject')).map(({ paymentId }) => paymentId)).toEqual(['reject-late']);
  });

  it('fails for the same instructions in every run when told to by hash', async () => {
    await tell({ failure: 'before', every: 3, offset: 1, instructionPrefix: 'ins-nth-' });
    const ids = Array.from({ length: 30 }, (_, n) => `nth-${n}`);
    const fails = async () =>
      (await Promise.all(ids.map((id) => sent(id)))).map((answer) => answer.status === 503);
    const first = await fails();
    expect(await fails()).toEqual(first);
    expect(first.filter(Boolean).length).toBeGreaterThan(3);
    expect(first.filter(Boolean).length).toBeLessThan(20);
  });

  it('lists its rules, replaces those of one scope and deletes them', async () => {
    await tell({ failure: 'before', instructionPrefix: 'x' });
    await control(rail.url, 'rules?scope=one', [{ failure: 'after', instructionPrefix: 'y' }]);
    await control(rail.url, 'rules?scope=one', [{ failure: 'reject', instructionPrefix: 'z' }]);
    const rules = async () => (await fetch(`${rail.url}/control/rules`)).json();
    expect(await rules()).toEqual([
      { failure: 'before', instructionPrefix: 'x' },
      { failure: 'reject', instructionPrefix: 'z' },
    ]);
    await fetch(`${rail.url}/control/rules`, { method: 'DELETE' });
    expect(await rules()).toEqual([]);
  });

  it.each([
    ['not a list', { failure: 'before' }, 'expected array'],
    ['an unknown failure', [{ failure: 'explode' }], '0.failure'],
    ['an unknown field', [{ failure: 'before', evry: 2 }], 'evry'],
    ['an offset outside', [{ failure: 'before' }, { failure: 'after', every: 2, offset: 2 }], '1.offset'],
  ])('refuses %s as rules and keeps those it has', async (_what, rules, detail) => {
    await tell({ failure: 'before', instructionPrefix: 'kept' });
    const answer = await control(rail.url, 'rules', rules);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({
      code: 'INVALID_CONTROL',
      detail: expect.stringContaining(detail) as string,
    });
    expect(await (await fetch(`${rail.url}/control/rules`)).json()).toHaveLength(1);
  });

  it('refuses an instruction without key, one that is not valid, one that is not JSON and a huge one', async () => {
    const post = async (body: string, headers: Record<string, string>) => {
      const answer = await fetch(`${rail.url}/rails/SEPA/instructions`, { method: 'POST', body, headers });
      return [answer.status, ((await answer.json()) as { code: string }).code];
    };
    const key = { 'idempotency-key': 'bad' };
    expect(await post(JSON.stringify(instruction('bad')), {})).toEqual([400, 'IDEMPOTENCY_KEY_REQUIRED']);
    expect(await post(JSON.stringify(instruction('bad', 0)), key)).toEqual([422, 'INVALID_INSTRUCTION']);
    expect(await post('{"instructionId":', key)).toEqual([400, 'NOT_JSON']);
    expect(await post(' '.repeat(1_100_000), key)).toEqual([413, 'BODY_TOO_LARGE']);
    expect((await fetch(`${rail.url}/rails/SEPA`)).status).toBe(404);
    expect((await fetch(`${rail.url}/rails/SEPA/instructions/%zz`)).status).toBe(400);
    expect(await lines('bad')).toEqual([]);
  });

  it('killed between executing and answering, knows the key when it is started again', async () => {
    await tell({ failure: 'silent', executes: true, instructionPrefix: 'ins-killed' });
    const unanswered = expect(send('killed')).rejects.toThrow('fetch failed');
    const [line] = await eventually(
      () => lines('killed'),
      (found) => found.length === 1,
    );
    await rail.end('SIGKILL');
    await unanswered;
    await appendFile(file, '{"at":"2026-01-02T03');
    rail = await bench.start('rail-simulator', file);
    expect(rail.greeting).toContain('20 bytes of a torn last line cut');
    expect(await sent('killed')).toEqual({
      status: 200,
      body: { status: 'EXECUTED', reference: line?.reference, replayed: true },
    });
    expect(await sent('killed', { minorUnits: 1 })).toMatchObject({ status: 409 });
    expect(await lines('killed')).toHaveLength(1);
  });

  it('killed under load, has executed each key once after everything is sent again', async () => {
    const ids = Array.from({ length: 400 }, (_, n) => `load-${n}`);
    const answered = new Map<string, unknown>();
    const all = Promise.allSettled(
      ids.map(async (id) => answered.set(id, (await sent(id)).body['reference'])),
    );
    await eventually(
      () => Promise.resolve(answered.size),
      (size) => size >= 20,
    );
    await rail.end('SIGKILL');
    await all;
    rail = await bench.start('rail-simulator', file);
    for (const id of ids) {
      const { body } = await sent(id);
      if (answered.has(id)) expect(body).toMatchObject({ replayed: true, reference: answered.get(id) });
    }
    const found = await lines('load-');
    expect(new Set(found.map(({ instructionId }) => instructionId)).size).toBe(400);
    expect(new Set(found.map(({ reference }) => reference)).size).toBe(400);
    expect(found).toHaveLength(400);
  });

  it('stops on SIGTERM, even while it is silent or slow, and executes nothing more', async () => {
    await tell(
      { failure: 'silent', instructionPrefix: 'ins-stop-silent' },
      { failure: 'slow', delayMs: 60_000, instructionPrefix: 'ins-stop-slow' },
    );
    const dropped = Promise.allSettled([send('stop-silent'), send('stop-slow')]);
    await sent('stop-after-them');
    expect(await rail.end('SIGTERM')).toBe(0);
    expect((await dropped).map((one) => one.status)).toEqual(['rejected', 'rejected']);
    rail = await bench.start('rail-simulator', file);
    expect((await lines('stop-')).map(({ paymentId }) => paymentId)).toEqual(['stop-after-them']);
  });

  it('answers its health with the length of its ledger', async () => {
    const health = (await (await fetch(`${rail.url}/healthz`)).json()) as Record<string, unknown>;
    expect(health).toEqual({ status: 'ok', ledgerLines: (await ledgerOf(rail.url)).length });
  });

  it('says why it cannot start', async () => {
    expect(await bench.run('rail-simulator', { PORT: 'http' })).toEqual({
      code: 1,
      stderr:
        'rail-simulator cannot start: 2 problems in the environment\n' +
        '  PORT         expected a whole number 0..65535, found "http"\n' +
        '  LEDGER_FILE  required, not set\n',
    });
    const taken = { PORT: new URL(rail.url).port, LEDGER_FILE: join(bench.folder, 'other.ndjson') };
    const { code, stderr } = await bench.run('rail-simulator', taken);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('EADDRINUSE') as string });
  });
});
