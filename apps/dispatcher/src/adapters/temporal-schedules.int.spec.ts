import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createTemporalSchedules } from './temporal-schedules.js';

// Nobody polls the task queue: a cycle that was started stays open until the test ends it.

const testName = process.env['TEST_NAME'] ?? 'test';
const scheduleId = `${testName}-trigger`;

describe('triggering a cycle', () => {
  let connection: Connection;
  let client: Client;

  beforeAll(async () => {
    connection = await Connection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '' });
    client = new Client({ connection });
  });
  afterAll(() => connection.close());

  const runningOf = async () =>
    (await client.schedule.getHandle(scheduleId).describe()).info.runningActions.map(
      ({ workflow }) => workflow.workflowId,
    );

  it('starts one now, and none beside one that runs', async () => {
    const schedules = createTemporalSchedules(client);
    await schedules.ensure({
      scheduleId,
      itemType: 'SAMPLE',
      intervalSecs: 86_400,
      taskQueue: `${testName}-nobody`,
      runTimeoutSecs: 60,
    });
    try {
      expect(await schedules.trigger(scheduleId)).toBe('triggered');
      const [workflowId] = await eventually(async () => {
        const running = await runningOf();
        return running.length > 0 ? running : undefined;
      });
      expect(await schedules.trigger(scheduleId)).toBe('running');
      expect(await runningOf()).toEqual([workflowId]);
      await client.workflow.getHandle(workflowId ?? '').terminate('the cycle is over');
      await eventually(async () => ((await runningOf()).length === 0 ? true : undefined));
      expect(await schedules.trigger(scheduleId)).toBe('triggered');
      const [second] = await eventually(async () => {
        const running = await runningOf();
        return running.length > 0 ? running : undefined;
      });
      await client.workflow.getHandle(second ?? '').terminate('test is over');
    } finally {
      await client.schedule.getHandle(scheduleId).delete();
    }
  });

  it('says that there is no such Schedule', async () => {
    expect(await createTemporalSchedules(client).trigger(`${testName}-none`)).toBe('no_schedule');
  });

  it('says that Temporal does not answer', async () => {
    const nowhere = Connection.lazy({ address: '127.0.0.1:1', connectTimeout: 500 });
    const schedules = createTemporalSchedules(new Client({ connection: nowhere }));
    expect(await schedules.trigger('any')).toBe('unreachable');
    await nowhere.close();
  });
});

async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error('it did not happen within 20 s');
    await sleep(100);
  }
}
