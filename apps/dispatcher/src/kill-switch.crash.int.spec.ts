import { createCrashRig } from './testing/crash-rig.js';
import type { CrashRig } from './testing/crash-rig.js';
import type { DispatcherProcess } from './testing/dispatcher-process.js';
import { execIdOf, findUnevenStarts, listRuns, runOf } from './testing/exec-runs.js';
import { createSubject, fill, itemIdsOf, itemsIn, itemsWithRetries, statuses } from './testing/subject.js';
import type { Subject } from './testing/subject.js';
import { until } from './testing/until.js';

describe('the kill switch', () => {
  let rig: CrashRig;
  let subject: Subject;
  let dispatcher: DispatcherProcess;

  beforeAll(async () => {
    rig = await createCrashRig(process.env);
    subject = await createSubject(rig, 'SWITCHED');
  });
  afterAll(() => rig.close());

  /** As an operator does it. */
  async function switchTo(enabled: boolean): Promise<void> {
    const answer = await fetch(`${dispatcher.url}/api/v1/dispatch/config/${subject.itemType}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...subject.config, enabled }),
      signal: AbortSignal.timeout(5_000),
    });
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ enabled })]);
  }

  /** Until two more cycles have begun and none runs: whatever was going to be started has been. */
  async function waitForIdleCycles(): Promise<void> {
    const schedule = rig.temporal.client.schedule.getHandle(`${rig.name}-${subject.itemType.toLowerCase()}`);
    const before = (await schedule.describe()).info.numActionsTaken;
    await until('two more cycles have passed', async () => {
      const { info } = await schedule.describe();
      return info.numActionsTaken >= before + 2 && info.runningActions.length === 0;
    });
  }

  it('stops a batch after the sub-batch in hand, loses nothing, and the rest leaves when it is back on', async () => {
    const itemIds = itemIdsOf(60);
    const inHand = itemIds.slice(10, 20);
    const third = inHand[2] ?? '';
    await fill(subject, itemIds);
    const text = execIdOf(subject, third);
    const freeze = rig.toTemporal.freezeAt({ way: 'up', text, freeze: 'before' });
    dispatcher = await rig.start({
      SLUICE_SUB_BATCH_SIZE: '10',
      SLUICE_START_CONCURRENCY: '1',
      // A frozen start must not be given up before the switch is off.
      SLUICE_START_TIMEOUT_SECONDS: '20',
    });
    await until('the dispatcher is in the second sub-batch', freeze.isReached);
    expect(await itemsIn(subject, 'CLAIMED')).toEqual(inHand);

    await switchTo(false);
    expect(await runOf(subject, third)).toBeUndefined();
    freeze.thaw();
    await until('nothing is claimed any more', async () => !(await statuses(subject)).CLAIMED);
    await waitForIdleCycles();
    const dispatched = await itemsIn(subject, 'DISPATCHED');
    expect(itemIds.slice(0, 20)).toEqual(expect.arrayContaining(dispatched));
    expect(await itemsIn(subject, 'READY')).toEqual(itemIds.filter((itemId) => !dispatched.includes(itemId)));
    const started = [...(await listRuns(subject)).keys()];
    expect(started.toSorted()).toEqual(dispatched.map((itemId) => execIdOf(subject, itemId)));

    await switchTo(true);
    expect(await findUnevenStarts(subject, itemIds)).toEqual([]);
    expect(await itemsWithRetries(subject)).toEqual([]);
  });
});
