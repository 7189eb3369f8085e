import type { StepInput } from './exec-steps.js';
import { createBench } from './testing/bench.js';
import type { Bench } from './testing/bench.js';
import { contextJsonFor } from './testing/contexts.js';

const testName = process.env['TEST_NAME'] ?? 'alone';
let bench: Bench;

beforeAll(() => {
  bench = createBench(process.env['PG_URL'] ?? '');
});
afterAll(() => bench.close());

const id = (name: string): string => `${testName}-${name}`;

function inputFor(paymentId: string, contextJson = contextJsonFor(paymentId)): StepInput {
  return { paymentId, contextJson, by: `exec-payment-${paymentId}` };
}

async function queuedIds(paymentId: string): Promise<string[]> {
  return (await bench.queued(paymentId)).map((entry) => entry.instructionId).sort();
}

describe('execute', () => {
  it('accepts the payment and enqueues its instruction and the news, in one transaction', async () => {
    const paymentId = id('accept');
    await bench.schedule(paymentId);
    expect(await bench.steps.execute(inputFor(paymentId))).toEqual({ kind: 'done' });
    expect(await bench.statuses(paymentId)).toEqual(['SCHEDULED', 'ACCEPTED']);
    expect(await queuedIds(paymentId)).toEqual([`evt-${paymentId}-payment.accepted`, `ins-${paymentId}`]);
  });

  it('changes nothing when it is repeated, one after the other or at once', async () => {
    const paymentId = id('repeat');
    await bench.schedule(paymentId);
    const input = inputFor(paymentId);
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => bench.steps.execute(input)));
    outcomes.push(await bench.steps.execute(input));
    expect(outcomes).toEqual(Array(6).fill({ kind: 'done' }));
    expect(await bench.statuses(paymentId)).toEqual(['SCHEDULED', 'ACCEPTED']);
    expect(await queuedIds(paymentId)).toHaveLength(2);
  });

  it('stops for a payment that was cancelled', async () => {
    const [paymentId] = await bench.schedule(id('cancelled'));
    if (!paymentId) throw new Error('not scheduled');
    const cancel = { paymentId, from: 'SCHEDULED', to: 'CANCELLED', by: 'operator' } as const;
    await bench.payments.transition(bench.pool, cancel);
    expect(await bench.steps.execute(inputFor(paymentId))).toEqual({ kind: 'stopped', status: 'CANCELLED' });
    expect(await queuedIds(paymentId)).toEqual([]);
  });

  it('ends a payment FAILED, with reason and news, when its context cannot be used; repeated, it says the same', async () => {
    const paymentId = id('unusable');
    await bench.schedule(paymentId);
    const input = inputFor(paymentId, '{"version":1}');
    for (let n = 0; n < 2; n += 1) {
      expect(await bench.steps.execute(input)).toEqual({ kind: 'stopped', status: 'FAILED' });
    }
    expect(await bench.statuses(paymentId)).toEqual(['SCHEDULED', 'FAILED']);
    const reason = { code: 'INVALID_CONTEXT' };
    expect(await bench.queued(paymentId)).toMatchObject([
      {
        railType: 'EVENT',
        payload: { type: 'payment.failed', data: { participantId: 'acme', status: 'FAILED', reason } },
      },
    ]);
  });

  it('ends a payment FAILED when its instruction id is taken by something else', async () => {
    const paymentId = id('conflict');
    await bench.schedule(paymentId);
    const instructionId = `ins-${paymentId}`;
    const squatter = {
      instructionId,
      participantId: 'x',
      idempotencyKey: 'x',
      railType: 'SQUAT',
      payload: {},
    };
    await bench.outbox.enqueue(bench.pool, [squatter]);
    expect(await bench.steps.execute(inputFor(paymentId))).toEqual({ kind: 'stopped', status: 'FAILED' });
    expect(await queuedIds(paymentId)).toEqual([`evt-${paymentId}-payment.failed`]);
  });

  it('refuses for good a payment that does not exist', async () => {
    const execution = bench.steps.execute(inputFor(id('nobody')));
    await expect(execution).rejects.toMatchObject({ type: 'PAYMENT_MISSING', nonRetryable: true });
  });

  it('leaves no trace when its transaction is cut off', async () => {
    const paymentId = id('cut');
    await bench.schedule(paymentId);
    const blocker = await bench.pool.connect();
    try {
      // Holds the sequence row of the event that the step wants to enqueue; then its backend is killed.
      await blocker.query('BEGIN');
      await blocker.query(`INSERT INTO participant_outbox_sequences VALUES ($1, 1)`, [`event:${paymentId}`]);
      const execution = bench.steps.execute(inputFor(paymentId));
      let killed = 0;
      while (killed === 0) {
        const { rows } = await bench.pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%payment_outbox_enqueue%'`,
        );
        killed = rows.length;
      }
      await expect(execution).rejects.toThrow();
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    expect(await bench.statuses(paymentId)).toEqual(['SCHEDULED']);
    expect(await bench.steps.execute(inputFor(paymentId))).toEqual({ kind: 'done' });
    expect(await queuedIds(paymentId)).toHaveLength(2);
  });
});

describe('postProcess and notify', () => {
  it('set the settlement date and the status once, however often they run', async () => {
    const [paymentId] = await bench.schedule(id('later'));
    if (!paymentId) throw new Error('not scheduled');
    const input = inputFor(paymentId);
    await bench.steps.execute(input);
    for (let n = 0; n < 3; n += 1) {
      expect(await bench.steps.postProcess(input)).toEqual({ kind: 'done' });
      expect(await bench.steps.notify(input)).toEqual({ kind: 'done' });
    }
    const payment = await bench.payments.find(bench.pool, paymentId);
    expect(payment).toMatchObject({ status: 'PROCESSING', expectedSettlementDate: '2026-03-09' });
    expect(await bench.statuses(paymentId)).toEqual(['SCHEDULED', 'ACCEPTED', 'PROCESSING']);
    expect(await queuedIds(paymentId)).toEqual([
      `evt-${paymentId}-payment.accepted`,
      `evt-${paymentId}-payment.processing`,
      `ins-${paymentId}`,
    ]);
  });

  it('do not get ahead of execute', async () => {
    const paymentId = id('early');
    await bench.schedule(paymentId);
    expect(await bench.steps.notify(inputFor(paymentId))).toEqual({ kind: 'stopped', status: 'SCHEDULED' });
    expect(await queuedIds(paymentId)).toEqual([]);
  });
});
