import { rails } from '@sluice/payments';
import { systemClock as clock } from '@sluice/service-kit';
import { pgExecutions } from './adapters/pg-executions.js';
import { recordNotice } from './record-notice.js';
import type { RailNotice } from './record-notice.js';
import { contextJsonFor } from './testing/contexts.js';
import { eventually } from './testing/eventually.js';
import { createRailBench } from './testing/rail-bench.js';
import type { RailBench } from './testing/rail-bench.js';

const testName = process.env['TEST_NAME'] ?? 'alone';
const wire = {
  rail: 'WIRE',
  destination: { bic: 'CHASUS33', accountNumber: '1' },
  amount: { minorUnits: 100, currency: 'USD' },
};

let bench: RailBench;

beforeEach(() => {
  bench = createRailBench(process.env);
});
afterEach(() => bench.close());

const statuses = (name: string) => bench.statuses(`${testName}-${name}`);

async function eventTypes(name: string): Promise<string[]> {
  const queued = await bench.queued(`${testName}-${name}`);
  return queued
    .filter((entry) => entry.railType === 'EVENT')
    .map((entry) => (entry.payload as { type: string }).type);
}

async function notify(name: string): Promise<unknown> {
  const paymentId = `${testName}-${name}`;
  return bench.steps.notify({ paymentId, contextJson: contextJsonFor(paymentId, wire), by: 'test' });
}

describe('the outcome of an instruction', () => {
  it('settles the payment of a rail whose execution is final, also before the workflow has gone on', async () => {
    await bench.startRelay();
    await bench.reaches(await bench.pay('final', wire), 'DISPATCHED');
    expect(await statuses('final')).toEqual(['SCHEDULED', 'ACCEPTED', 'PROCESSING', 'SETTLED']);
    expect(await eventTypes('final')).toEqual(['payment.accepted', 'payment.processing', 'payment.settled']);
    expect(await notify('final')).toEqual({ kind: 'done' });
    expect(await statuses('final')).toHaveLength(4);
  });

  it('settles nothing on a rail that settles later', async () => {
    await bench.startRelay();
    await bench.reaches(await bench.pay('later'), 'DISPATCHED');
    expect(await statuses('later')).toEqual(['SCHEDULED', 'ACCEPTED']);
  });

  it('fails the payment that the rail refuses for good, with its reason and an event', async () => {
    const name = 'refused';
    await bench.rail.tell({ instructionPrefix: `ins-${testName}-${name}`, failure: 'reject', code: 'AC04' });
    await bench.startRelay();
    await bench.reaches(await bench.pay(name), 'FAILED');
    expect(await statuses(name)).toEqual(['SCHEDULED', 'ACCEPTED', 'FAILED']);
    const queued = await bench.queued(`${testName}-${name}`);
    expect(queued.at(-1)?.payload).toMatchObject({
      type: 'payment.failed',
      data: { status: 'FAILED', reason: { code: 'AC04' }, amount: { minorUnits: 1250 } },
    });
    expect(await notify(name)).toEqual({ kind: 'stopped', status: 'FAILED' });
  });

  it('leaves the payment open when a person may still send it again, or when nobody knows', async () => {
    await bench.rail.tell({
      instructionPrefix: `ins-${testName}-tired`,
      failure: 'answer',
      httpStatus: 422,
      code: 'AB08',
    });
    await bench.startRelay({ maxAttempts: 2 });
    await bench.reaches(await bench.pay('tired'), 'FAILED');
    expect(await statuses('tired')).toEqual(['SCHEDULED', 'ACCEPTED']);
  });

  it('is in the outbox and on the payment, or in neither: a connection that dies in between changes nothing', async () => {
    const name = 'cut';
    const paymentId = `${testName}-${name}`;
    await bench.pay(name, { ...wire, participantId: `${testName}-cut` });
    const claims = await bench.store.claim({
      railTypes: rails,
      limit: 1,
      leaseSeconds: 60,
      token: '018f0000-0000-7000-8000-000000000002',
    });
    const [claim] = claims;
    if (!claim) throw new Error('nothing was claimed');
    const outcome = { kind: 'executed', reference: 'R-1', code: 'EXECUTED' } as const;
    const settlements = [{ ...claim, outcome, latencyMs: 1 }];
    const blocker = await bench.pool.connect();
    try {
      await blocker.query('BEGIN');
      await blocker.query('SELECT 1 FROM payments WHERE payment_id = $1 FOR UPDATE', [paymentId]);
      const cut = expect(bench.store.settle(settlements)).rejects.toThrow();
      await eventually('the settlement waits for the payment and its connection is ended', async () => {
        const { rows } = await bench.pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '-- Move many payments%'`,
        );
        return rows.length > 0;
      });
      await cut;
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    expect((await bench.outbox.findInstruction(claim.instructionId))?.state).toBe('IN_FLIGHT');
    expect(await statuses(name)).toEqual(['SCHEDULED', 'ACCEPTED']);

    for (let n = 0; n < 2; n += 1) expect(await settleAgain(settlements)).toEqual(['recorded']);
    expect((await bench.outbox.findInstruction(claim.instructionId))?.state).toBe('DISPATCHED');
    expect(await statuses(name)).toEqual(['SCHEDULED', 'ACCEPTED', 'PROCESSING', 'SETTLED']);
    expect(await eventTypes(name)).toHaveLength(3);

    async function settleAgain(again: typeof settlements): Promise<string[]> {
      // The claim is forgotten once it is settled; a repetition comes from a call that is still under way.
      const settled = await bench.store.settle(again).catch(() => bench.outbox.settle(again));
      return settled.map(({ kind }) => kind);
    }
  });
});

describe('a notice of the rail', () => {
  function parts() {
    const { pool, payments, outbox } = bench;
    return { executions: pgExecutions({ pool, payments, outbox }), views: outbox, clock };
  }
  const notice = (name: string, change: Partial<RailNotice>) =>
    recordNotice(parts(), {
      rail: 'SEPA',
      instructionId: `ins-${testName}-${name}`,
      status: 'SETTLED',
      by: 'rail-gateway',
      ...change,
    });

  it('settles a payment, and returns it days later, each once', async () => {
    await bench.startRelay();
    await bench.reaches(await bench.pay('told'), 'DISPATCHED');
    const recorded = { kind: 'recorded', status: 'SETTLED' };
    expect([await notice('told', {}), await notice('told', {})]).toEqual([recorded, recorded]);
    const returned = { status: 'RETURNED', code: 'AC04', detail: 'closed account' } as const;
    expect(await notice('told', returned)).toEqual({ kind: 'recorded', status: 'RETURNED' });
    expect(await notice('told', returned)).toEqual({ kind: 'recorded', status: 'RETURNED' });
    expect(await statuses('told')).toEqual(['SCHEDULED', 'ACCEPTED', 'PROCESSING', 'SETTLED', 'RETURNED']);
    const queued = await bench.queued(`${testName}-told`);
    expect(queued.at(-1)?.payload).toMatchObject({
      type: 'payment.returned',
      data: { reason: { code: 'AC04' } },
    });
    expect(await eventTypes('told')).toHaveLength(4);
  });

  it('about something that was not executed is refused', async () => {
    await bench.pay('waiting', { participantId: `${testName}-waits` });
    expect(await notice('waiting', {})).toEqual({ kind: 'notExecuted', state: 'PENDING' });
    expect(await notice('nobody', {})).toEqual({ kind: 'unknown' });
    expect(await notice('waiting', { rail: 'ACH' })).toEqual({ kind: 'unknown' });
    expect(await statuses('waiting')).toEqual(['SCHEDULED', 'ACCEPTED']);
  });
});
