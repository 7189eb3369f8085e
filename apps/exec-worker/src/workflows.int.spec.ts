import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { ExecActivities, ExecResult } from './exec-steps.js';
import { createBench } from './testing/bench.js';
import type { Bench } from './testing/bench.js';
import { contextJsonFor } from './testing/contexts.js';
import { saveHistory } from './testing/histories.js';

const testName = process.env['TEST_NAME'] ?? 'alone';
const taskQueue = `${testName}-exec`;
const address = process.env['TEMPORAL_ADDRESS'] ?? '';
const workflowBundle = { codePath: join(__dirname, '..', 'dist', 'workflow-bundle.js') };

let bench: Bench;
let native: NativeConnection;
let connection: Connection;
let client: Client;

beforeAll(async () => {
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => undefined),
    telemetryOptions: { logging: { filter: 'OFF', forward: {} } },
  });
  bench = createBench(process.env['PG_URL'] ?? '');
  native = await NativeConnection.connect({ address });
  connection = await Connection.connect({ address });
  client = new Client({ connection });
});

afterAll(async () => {
  await connection.close();
  await native.close();
  await bench.close();
});

/**
 * Runs one exec workflow to its end with these activities, and shows its history. With SAVE_HISTORIES=1 the histories are saved
 * for replay.int.spec.ts, one for each end: `SAVE_HISTORIES=1 npx jest -c jest.int.config.cjs exec-worker/src/workflows`.
 */
async function execute(paymentId: string, contextJson: string, activities: ExecActivities = bench.steps) {
  const worker = await Worker.create({ connection: native, taskQueue, workflowBundle, activities });
  return worker.runUntil(async () => {
    const handle = await client.workflow.start('PaymentExecWorkflow', {
      taskQueue,
      workflowId: `exec-payment-${paymentId}`,
      args: [paymentId, contextJson],
    });
    const result = (await handle.result()) as ExecResult;
    const history = await handle.fetchHistory();
    if (process.env['SAVE_HISTORIES']) await saveHistory(result.status, history);
    return { result, history };
  });
}

it('takes a payment from SCHEDULED to PROCESSING, in one workflow task', async () => {
  const paymentId = `${testName}-whole`;
  await bench.schedule(paymentId);
  const { result, history } = await execute(paymentId, contextJsonFor(paymentId));
  expect(result).toEqual({ status: 'PROCESSING' });
  expect(await bench.statuses(paymentId)).toEqual(['SCHEDULED', 'ACCEPTED', 'PROCESSING']);
  const railTypes = (await bench.queued(paymentId)).map((entry) => entry.railType);
  expect(railTypes.sort()).toEqual(['EVENT', 'EVENT', 'SEPA']);
  expect(history.events).toHaveLength(8);

  const trail = await bench.payments.listStatusChanges(bench.pool, (await bench.schedule(paymentId))[0]!);
  expect(trail.at(-1)).toMatchObject({ by: `exec-payment-${paymentId}` });
});

it('repeats a step whose result was lost, and changes nothing by it', async () => {
  const paymentId = `${testName}-lost`;
  await bench.schedule(paymentId);
  const dying = new Set<keyof ExecActivities>(['execute', 'postProcess', 'notify']);
  const dieOnce =
    (name: keyof ExecActivities): ExecActivities[typeof name] =>
    async (input) => {
      const outcome = await bench.steps[name](input);
      if (dying.delete(name)) throw new Error(`killed after ${name}`);
      return outcome;
    };
  const activities = {
    execute: dieOnce('execute'),
    postProcess: dieOnce('postProcess'),
    notify: dieOnce('notify'),
  };
  const { result } = await execute(paymentId, contextJsonFor(paymentId), activities);
  expect(result).toEqual({ status: 'PROCESSING' });
  expect(dying.size).toBe(0);
  expect(await bench.statuses(paymentId)).toEqual(['SCHEDULED', 'ACCEPTED', 'PROCESSING']);
  expect(await bench.queued(paymentId)).toHaveLength(3);
});

it('stops where a payment was taken out of its hands', async () => {
  const paymentId = `${testName}-cancelled`;
  const [id] = await bench.schedule(paymentId);
  if (!id) throw new Error('not scheduled');
  const cancel = { paymentId: id, from: 'SCHEDULED', to: 'CANCELLED', by: 'operator' } as const;
  await bench.payments.transition(bench.pool, cancel);
  const { result } = await execute(paymentId, contextJsonFor(paymentId));
  expect(result).toEqual({ status: 'CANCELLED' });
  expect(await bench.queued(paymentId)).toEqual([]);
});

it('ends a payment FAILED that cannot be executed, without failing itself', async () => {
  const paymentId = `${testName}-bad`;
  await bench.schedule(paymentId);
  const { result } = await execute(paymentId, 'no JSON');
  expect(result).toEqual({ status: 'FAILED' });
  expect((await bench.queued(paymentId)).map((entry) => entry.instructionId)).toEqual([
    `evt-${paymentId}-payment.failed`,
  ]);
});

it('fails visibly for a payment that does not exist', async () => {
  const paymentId = `${testName}-nobody`;
  await expect(execute(paymentId, contextJsonFor(paymentId))).rejects.toMatchObject({
    name: 'WorkflowFailedError',
  });
});
