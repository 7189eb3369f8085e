import { LedgerError } from '../ledger/ledger-error.js';
import type { Ledger } from '../ledger/ledger.js';
import { createExecutor } from './execute-once.js';
import { hashBody } from './instruction.js';
import type { RailLedgerLine } from './instruction.js';

function memoryLedger() {
  const lines: RailLedgerLine[] = [];
  const failures: LedgerError[] = [];
  const ledger: Ledger<RailLedgerLine> = {
    recovered: { lines: 0, cutBytes: 0 },
    async append(line) {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      lines.push(line);
    },
    async *read() {
      yield* lines;
    },
    lineCount: () => lines.length,
    failure: () => undefined,
    async close() {},
  };
  return { ledger, lines, failures };
}

function order(idempotencyKey: string, changes: { rail?: string; minorUnits?: number } = {}) {
  const instruction = {
    instructionId: `ins-${idempotencyKey}`,
    paymentId: idempotencyKey,
    participantId: 'acme',
    sequence: 1,
    amount: { minorUnits: changes.minorUnits ?? 100, currency: 'EUR' },
    destination: { iban: 'DE89370400440532013000' },
  };
  return { rail: changes.rail ?? 'SEPA', idempotencyKey, bodyHash: hashBody(instruction), instruction };
}

const now = () => new Date('2026-01-02T03:04:05.678Z');

describe('createExecutor', () => {
  it('executes a key once and answers its repetition with the same reference', async () => {
    const { ledger, lines } = memoryLedger();
    const executor = createExecutor(now);
    expect(await executor.execute(order('k'), ledger)).toEqual({
      kind: 'executed',
      reference: 'SEPA-000000001',
      replayed: false,
    });
    expect(await executor.execute(order('k'), ledger)).toMatchObject({
      reference: 'SEPA-000000001',
      replayed: true,
    });
    expect(lines).toMatchObject([{ at: '2026-01-02T03:04:05.678Z', paymentId: 'k', minorUnits: 100 }]);
  });

  it('executes once when the same key comes many times at once', async () => {
    const { ledger, lines } = memoryLedger();
    const executor = createExecutor(now);
    const answers = await Promise.all(Array.from({ length: 50 }, () => executor.execute(order('k'), ledger)));
    expect(lines).toHaveLength(1);
    expect(answers.filter((answer) => answer.kind === 'executed' && !answer.replayed)).toHaveLength(1);
  });

  it('refuses a known key with another body', async () => {
    const { ledger, lines } = memoryLedger();
    const executor = createExecutor(now);
    await executor.execute(order('k'), ledger);
    expect(await executor.execute(order('k', { minorUnits: 101 }), ledger)).toEqual({ kind: 'conflict' });
    expect(lines).toHaveLength(1);
  });

  it('keeps the keys of two rails apart', async () => {
    const { ledger, lines } = memoryLedger();
    const executor = createExecutor(now);
    await executor.execute(order('k'), ledger);
    await executor.execute(order('k', { rail: 'WIRE' }), ledger);
    expect(lines.map(({ reference }) => reference)).toEqual(['SEPA-000000001', 'WIRE-000000002']);
  });

  it('knows the keys of the ledger that it is told of, and gives no reference out twice', async () => {
    const { ledger, lines } = memoryLedger();
    await createExecutor(now).execute(order('k'), ledger);
    const restarted = createExecutor(now);
    for (const line of lines) restarted.remember(line);
    expect(await restarted.find('SEPA', 'k')).toBe('SEPA-000000001');
    expect(await restarted.execute(order('k'), ledger)).toMatchObject({ replayed: true });
    expect(await restarted.execute(order('k', { minorUnits: 1 }), ledger)).toEqual({ kind: 'conflict' });
    expect(await restarted.execute(order('l'), ledger)).toMatchObject({ reference: 'SEPA-000000002' });
  });

  it('forgets a key that a full ledger did not take, and never reuses its reference', async () => {
    const { ledger, failures } = memoryLedger();
    failures.push(new LedgerError('LEDGER_FULL', 'full'));
    const executor = createExecutor(now);
    await expect(executor.execute(order('k'), ledger)).rejects.toMatchObject({ code: 'LEDGER_FULL' });
    expect(await executor.find('SEPA', 'k')).toBeUndefined();
    expect(await executor.execute(order('k'), ledger)).toMatchObject({
      reference: 'SEPA-000000002',
      replayed: false,
    });
  });

  it('does not call a key unknown when a failed ledger may hold it', async () => {
    const { ledger, failures } = memoryLedger();
    failures.push(new LedgerError('LEDGER_FAILED', 'failed'));
    const executor = createExecutor(now);
    await expect(executor.execute(order('k'), ledger)).rejects.toMatchObject({ code: 'LEDGER_FAILED' });
    await expect(executor.find('SEPA', 'k')).rejects.toMatchObject({ code: 'LEDGER_FAILED' });
  });
});

describe('hashBody', () => {
  it('does not depend on the order of fields, at any depth', () => {
    expect(hashBody({ a: 1, b: { c: 2, d: [3, 4] } })).toBe(hashBody({ b: { d: [3, 4], c: 2 }, a: 1 }));
  });

  it('differs for other values, other order in lists and other fields', () => {
    const hashes = [{ a: [1, 2] }, { a: [2, 1] }, { a: ['1', 2] }, { b: [1, 2] }, { a: [1, 2], b: null }].map(
      hashBody,
    );
    expect(new Set(hashes).size).toBe(5);
  });
});
