import type { RailLedgerLine } from '../rail-simulator/instruction.js';
import type { SinkLedgerLine } from '../webhook-sink/sink.js';
import { checkRun, describeVerdict, readRailLedger, readSinkLedger } from './index.js';
import type { AcceptedPayment, Run } from './index.js';

const at = '2026-01-02T03:04:05.678Z';

/** Payment n of participant a (odd n) or b (even n), in EUR but every third in USD. */
function payment(n: number): AcceptedPayment {
  const currency = n % 3 === 0 ? 'USD' : 'EUR';
  return { paymentId: `p${n}`, participantId: n % 2 === 1 ? 'a' : 'b', minorUnits: n * 100, currency };
}

function executed(n: number, changes: Partial<RailLedgerLine> = {}): RailLedgerLine {
  const instructionId = `ins-p${n}`;
  const ids = { instructionId, idempotencyKey: instructionId, reference: `ACH-${n}`, bodyHash: `hash${n}` };
  return { at, rail: 'ACH', ...payment(n), ...ids, sequence: Math.ceil(n / 2), ...changes };
}

function notified(
  n: number,
  changes: Partial<SinkLedgerLine> = {},
  type = 'payment.processing',
): SinkLedgerLine {
  const body = JSON.stringify({ id: `evt-p${n}`, type, data: { paymentId: `p${n}` } });
  return { at, path: '/hooks/a', headers: { 'webhook-id': `evt-p${n}` }, body, status: 200, ...changes };
}

const numbers = [1, 2, 3, 4, 5, 6, 7, 8];

/** A run without fault, to be falsified. */
function goodRun() {
  return {
    accepted: numbers.map((n) => payment(n)),
    rail: numbers.map((n) => executed(n)),
    sink: numbers.map((n) => notified(n)),
  };
}

/** The violated parts of the verdict only, so that each test also shows what is not accused. */
function accusations(run: Run) {
  const { ok, accepted: _accepted, executed: _executed, sums, notices, ...lists } = checkRun(run);
  const parts = {
    ...lists,
    sums: sums.filter((sum) => sum.accepted !== sum.executed),
    notNotified: notices?.notNotified ?? [],
  };
  const found = Object.fromEntries(Object.entries(parts).filter(([, list]) => list.length > 0));
  expect(ok).toBe(Object.keys(found).length === 0);
  return found;
}

describe('checkRun', () => {
  it('finds nothing in a run without fault', () => {
    const verdict = checkRun(goodRun());
    expect(verdict).toMatchObject({
      ok: true,
      accepted: 8,
      executed: 8,
      notices: { notified: 8, repeated: 0 },
    });
    expect(verdict.sums).toEqual([
      { currency: 'EUR', accepted: '2700', executed: '2700' },
      { currency: 'USD', accepted: '900', executed: '900' },
    ]);
    expect(describeVerdict(verdict).split('\n')[0]).toBe(
      'OK: 8 accepted, 8 executed, 8 notified (0 webhooks repeated); ' +
        '0 lost, 0 doubled, 0 uninvited, 0 altered, 0 out of order',
    );
  });

  it('finds a lost payment, by the gap too when another follows it', () => {
    const run = goodRun();
    run.rail.splice(2, 1);
    expect(accusations(run)).toEqual({
      lost: ['p3'],
      sums: [{ currency: 'USD', accepted: '900', executed: '600' }],
      disorder: [{ kind: 'gap', participantId: 'a', paymentId: 'p5', after: 1, found: 3 }],
    });
  });

  it('finds a lost last payment, which leaves no gap', () => {
    const run = goodRun();
    run.rail.pop();
    expect(accusations(run)).toMatchObject({ lost: ['p8'] });
    expect(checkRun(run).executed).toBe(7);
  });

  it.each([
    ['with another reference', { reference: 'ACH-99' }, ['ACH-4', 'ACH-99']],
    ['as a line that repeats the first one', {}, ['ACH-4', 'ACH-4']],
    ['under another key', { idempotencyKey: 'attempt-2', reference: 'ACH-99' }, ['ACH-4', 'ACH-99']],
    ['on another rail', { rail: 'WIRE', reference: 'WIRE-1' }, ['ACH-4', 'WIRE-1']],
  ])('finds a payment executed twice, %s', (_how, changes, references) => {
    const run = goodRun();
    run.rail.push(executed(4, changes));
    expect(accusations(run)).toEqual({
      doubled: [{ paymentId: 'p4', references }],
      sums: [{ currency: 'EUR', accepted: '2700', executed: '3100' }],
    });
  });

  it('finds a payment executed twice under two instructions', () => {
    const run = goodRun();
    run.rail.push(executed(8, { instructionId: 'ins-p8-again', sequence: 5, reference: 'ACH-9' }));
    expect(accusations(run)).toMatchObject({
      doubled: [{ paymentId: 'p8', references: ['ACH-8', 'ACH-9'] }],
    });
  });

  it('finds an uninvited payment even when the sums agree', () => {
    const run = goodRun();
    run.rail[7] = executed(8, { paymentId: 'stranger' });
    expect(accusations(run)).toEqual({
      lost: ['p8'],
      uninvited: [{ paymentId: 'stranger', reference: 'ACH-8' }],
    });
  });

  it('finds a wrong amount', () => {
    const run = goodRun();
    run.rail[0] = executed(1, { minorUnits: 101 });
    expect(accusations(run)).toEqual({
      altered: [{ paymentId: 'p1', field: 'minorUnits', accepted: 100, executed: 101 }],
      sums: [{ currency: 'EUR', accepted: '2700', executed: '2701' }],
    });
  });

  it('finds two wrong amounts that cancel out', () => {
    const run = goodRun();
    run.rail[0] = executed(1, { minorUnits: 101 });
    run.rail[1] = executed(2, { minorUnits: 199 });
    expect(Object.keys(accusations(run))).toEqual(['altered']);
  });

  it('finds a wrong currency and a wrong participant', () => {
    const run = goodRun();
    run.rail[7] = executed(8, { currency: 'USD', participantId: 'c' });
    expect(checkRun(run).altered.map(({ field }) => field)).toEqual(['currency', 'participantId']);
    expect(accusations(run)).toHaveProperty('sums');
  });

  it('adds up exactly beyond what a number can hold', () => {
    const accepted = numbers.map((n) => ({
      ...payment(n),
      minorUnits: Number.MAX_SAFE_INTEGER,
      currency: 'EUR',
    }));
    const { sums } = checkRun({ accepted, rail: [] });
    expect(sums).toEqual([{ currency: 'EUR', accepted: '72057594037927928', executed: '0' }]);
  });

  it('finds two instructions of a participant in the wrong order', () => {
    const run = goodRun();
    run.rail = [1, 2, 5, 4, 3, 6, 7, 8].map((n) => executed(n));
    expect(accusations(run)).toEqual({
      disorder: [
        { kind: 'gap', participantId: 'a', paymentId: 'p5', after: 1, found: 3 },
        { kind: 'backwards', participantId: 'a', paymentId: 'p3', after: 3, found: 2 },
      ],
    });
  });

  it('finds a number that was passed over and one that was given twice', () => {
    const run = goodRun();
    run.rail[6] = executed(7, { sequence: 5 });
    run.rail[7] = executed(8, { sequence: 3 });
    expect(checkRun(run).disorder).toEqual([
      { kind: 'gap', participantId: 'a', paymentId: 'p7', after: 3, found: 5 },
      { kind: 'repeated', participantId: 'b', paymentId: 'p8', after: 3, found: 3 },
    ]);
  });

  it('does not ask in which order participants take turns, nor where their numbers begin', () => {
    const run = goodRun();
    run.rail = [8, 6, 4, 2, 1, 3, 5, 7].map((n) =>
      executed(n, { sequence: 100 + (n % 2 ? n + 1 : 10 - n) / 2 }),
    );
    expect(accusations(run)).toEqual({});
  });

  it.each([
    ['no webhook came', undefined],
    ['it was answered with an error', notified(2, { status: 500 })],
    ['it was not answered', notified(2, { status: null })],
    ['it told of another step', notified(2, {}, 'payment.accepted')],
    ['its body is not JSON', notified(2, { body: '{"type":' })],
  ])('finds a payment nobody was notified of because %s', (_why, line) => {
    const run = goodRun();
    run.sink.splice(1, 1, ...(line ? [line] : []));
    expect(accusations(run)).toEqual({ notNotified: ['p2'] });
    expect(checkRun(run).notices?.notified).toBe(7);
  });

  it('counts repeated webhooks and holds them against nobody', () => {
    const run = goodRun();
    run.sink.push(notified(1), notified(1), notified(2, { path: '/hooks/b' }), notified(3, { status: 503 }));
    expect(accusations(run)).toEqual({});
    expect(checkRun(run).notices).toEqual({ notified: 8, notNotified: [], repeated: 2 });
  });

  it('does not ask for webhooks where a run has none', () => {
    const { accepted, rail } = goodRun();
    expect(checkRun({ accepted, rail })).not.toHaveProperty('notices');
    expect(accusations({ accepted, rail })).toEqual({});
  });

  it('takes a repeated acceptance as one, and finds one with other content', () => {
    const run = goodRun();
    run.accepted.push(payment(1));
    expect(accusations(run)).toEqual({});
    run.accepted.push({ ...payment(1), minorUnits: 5 });
    expect(accusations(run)).toEqual({ contradicted: ['p1'] });
  });
});

describe('describeVerdict', () => {
  it('names the first few cases of each violation', () => {
    const run = goodRun();
    run.rail = [executed(8), executed(8, { reference: 'ACH-9' })];
    run.sink = [];
    const text = describeVerdict(checkRun(run));
    expect(text).toContain('VIOLATED: 8 accepted, 1 executed, 0 notified');
    expect(text).toContain('USD: 900 minor units accepted, 0 executed (DIFFERENT)');
    expect(text).toContain('lost: p1; p2; p3; p4; p5 and 2 more');
    expect(text).toContain('doubled: p8 (ACH-8, ACH-9)');
    expect(text).toContain('not notified: p1; p2; p3; p4; p5 and 3 more');
  });
});

describe('reading ledgers', () => {
  const ndjson = (lines: readonly unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

  it('reads what the simulators write', () => {
    const { rail, sink } = goodRun();
    expect(readRailLedger(ndjson(rail))).toEqual(rail);
    expect(readSinkLedger(ndjson(sink))).toEqual(sink);
    expect(readRailLedger('')).toEqual([]);
  });

  it('refuses what is not a ledger line instead of passing over it', () => {
    expect(() => readRailLedger(ndjson([{ ...executed(1), sequence: 'one' }]))).toThrow('sequence');
    expect(() => readSinkLedger('{"at":')).toThrow(SyntaxError);
  });
});
