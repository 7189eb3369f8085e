import { Client, Connection } from '@temporalio/client';
import { contextJsonFor } from './testing/contexts.js';
import { eventually } from './testing/eventually.js';
import { startExecWorker } from './testing/exec-worker-process.js';
import type { ExecWorkerProcess } from './testing/exec-worker-process.js';
import { createRailBench } from './testing/rail-bench.js';
import type { RailBench } from './testing/rail-bench.js';

const testName = process.env['TEST_NAME'] ?? 'alone';
const taskQueue = `${testName}-exec`;
const variables = {
  PG_URL: process.env['PG_URL'] ?? '',
  TEMPORAL_ADDRESS: process.env['TEMPORAL_ADDRESS'] ?? '',
  SLUICE_RAIL_URL: process.env['RAIL_URL'] ?? '',
  SLUICE_TASK_QUEUE: taskQueue,
  SLUICE_LEASE_SECONDS: '3',
  SLUICE_REAP_SECONDS: '0.2',
  SLUICE_RAIL_TIMEOUT_SECONDS: '30',
};
const wire = {
  rail: 'WIRE',
  destination: { bic: 'CHASUS33', accountNumber: '1' },
  amount: { minorUnits: 100, currency: 'USD' },
};

let bench: RailBench;
let connection: Connection;
let client: Client;
let worker: ExecWorkerProcess;

beforeAll(async () => {
  bench = createRailBench(process.env);
  connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
  client = new Client({ connection });
  worker = await startExecWorker(variables);
});
afterAll(async () => {
  await worker.kill();
  await connection.close();
  await bench.close();
});

/** Each payment has a participant of its own, so that none waits for another. */
async function start(name: string): Promise<string> {
  const paymentId = `${testName}-${name}`;
  const change = { ...wire, participantId: paymentId };
  await bench.scheduleAs(paymentId, change);
  await client.workflow.start('PaymentExecWorkflow', {
    taskQueue,
    workflowId: `exec-payment-${paymentId}`,
    args: [paymentId, contextJsonFor(paymentId, change)],
    workflowTaskTimeout: '3s',
  });
  return `ins-${paymentId}`;
}

const isExecuted = async (instructionId: string) => (await bench.rail.ledger(instructionId)).length > 0;
const isInFlight = async (instructionId: string) =>
  (await bench.outbox.findInstruction(instructionId))?.state === 'IN_FLIGHT';

it('with nothing to do costs the database fewer than 20 transactions a second', async () => {
  const transactions = async () => {
    const { rows } = await bench.pool.query<{ count: string }>(
      'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(rows[0]?.count);
  };
  const [before, began] = [await transactions(), performance.now()];
  const seconds = () => (performance.now() - began) / 1_000;
  await eventually('some seconds have passed', () => seconds() > 5);
  expect(((await transactions()) - before) / seconds()).toBeLessThan(20);
});

it('killed before, in and after the call to the rail and in its own steps, executes every payment once', async () => {
  await bench.rail.tell(
    { instructionPrefix: `ins-${testName}-unheard`, failure: 'silent', executes: true, times: 1 },
    { instructionPrefix: `ins-${testName}-unsent`, failure: 'silent', times: 1 },
    { instructionPrefix: `ins-${testName}-unrecorded`, failure: 'slow', delayMs: 1_000 },
  );
  const unheard = await start('unheard');
  const unsent = await start('unsent');
  const blocker = await bench.pool.connect();
  try {
    // One payment cannot be accepted, the outcome of the other cannot be recorded: the process dies in both transactions.
    await bench.scheduleAs(`${testName}-unaccepted`, { ...wire, participantId: `${testName}-unaccepted` });
    await blocker.query('BEGIN');
    await blocker.query('SELECT 1 FROM payments WHERE payment_id = $1 FOR UPDATE', [
      `${testName}-unaccepted`,
    ]);
    const unaccepted = await start('unaccepted');
    const unrecorded = await start('unrecorded');
    await eventually('the fourth is on its way', () => isInFlight(unrecorded));
    await blocker.query('SELECT 1 FROM payments WHERE payment_id = $1 FOR UPDATE', [
      `${testName}-unrecorded`,
    ]);
    await eventually('the rail has executed two of them', async () => {
      return (await isExecuted(unheard)) && (await isExecuted(unrecorded)) && (await isInFlight(unsent));
    });
    await eventually('both transactions wait', async () => {
      const { rows } = await bench.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length >= 2;
    });
    await worker.kill();
    await blocker.query('ROLLBACK');

    worker = await startExecWorker(variables);
    for (const instructionId of [unheard, unsent, unaccepted, unrecorded]) {
      await eventually(`${instructionId} is settled`, async () => {
        const statuses = await bench.statuses(instructionId.replace('ins-', ''));
        return statuses.at(-1) === 'SETTLED';
      });
      const statuses = await bench.statuses(instructionId.replace('ins-', ''));
      expect(statuses).toEqual(['SCHEDULED', 'ACCEPTED', 'PROCESSING', 'SETTLED']);
      expect((await bench.outbox.findInstruction(instructionId))?.state).toBe('DISPATCHED');
      expect(await bench.rail.ledger(instructionId)).toHaveLength(1);
    }
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
}, 120_000);

it('shows all that operators look at in its metrics', async () => {
  const text = await worker.metrics();
  const names = [
    'outbox_pending_depth',
    'oldest_pending_age_seconds',
    'notify_wakeups_total',
    'claim_batches_total',
    'dispatch_latency_ms_bucket',
    'attempts_total{state="DISPATCHED"',
    'dlq_depth',
    'reaper_requeues_total',
    'stuck_dispatching_count',
    'outbox_in_doubt_count',
    'outbox_held_participants',
    'late_results_total',
    'rail_circuit_state{rail="WIRE"',
  ];
  expect(names.filter((name) => !text.includes(`\n${name}`))).toEqual([]);
});

it('told to stop while the rail takes its time, waits for the answer and records it', async () => {
  await bench.rail.tell({ instructionPrefix: `ins-${testName}-slow`, failure: 'slow', delayMs: 1_500 });
  const slow = await start('slow');
  await eventually('it is on its way', () => isInFlight(slow));
  expect(await worker.stop()).toBe(0);
  expect((await bench.outbox.findInstruction(slow))?.state).toBe('DISPATCHED');
  expect(await bench.rail.ledger(slow)).toHaveLength(1);
});
