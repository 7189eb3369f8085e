import { createCrashRig } from './testing/crash-rig.js';
import type { CrashRig } from './testing/crash-rig.js';
import { findUnevenStarts } from './testing/exec-runs.js';
import { createSubject, fill, itemIdsOf, itemsWith, statuses } from './testing/subject.js';

describe('two dispatchers at once', () => {
  let rig: CrashRig;
  beforeAll(async () => {
    // To be started, a workflow needs no worker, and thousands of executions would only cost time here.
    rig = await createCrashRig(process.env, { executes: false });
  });
  afterAll(() => rig.close());

  it('share thousands of items between them, each started once and none lost', async () => {
    const itemIds = itemIdsOf(2_000);
    const subject = await createSubject(rig, 'SHARED', { batchSize: 2_000 });
    await fill(subject, itemIds);
    // A Schedule lets one cycle of an item type run at a time: with one for each, the cycles really meet.
    const named = (name: string) => ({
      SLUICE_TASK_QUEUE: `${rig.name}-${name}`,
      SLUICE_SCHEDULE_PREFIX: `${rig.name}-${name}-`,
      // Small, so that they claim often and often in the same moment.
      SLUICE_SUB_BATCH_SIZE: '10',
    });
    const dispatchers = await Promise.all([rig.start(named('one')), rig.start(named('other'))]);
    expect(await findUnevenStarts(subject, itemIds, 150_000)).toEqual([]);
    expect(await statuses(subject)).toEqual({ DISPATCHED: itemIds.length });

    // Neither came to an item that the other had in hand, and both had a share.
    expect(await itemsWith(subject, 'DISPATCHED')).toEqual(itemIds);
    const shares = await Promise.all(
      dispatchers.map((dispatcher) => dispatcher.metric('dispatch_workflow_started_total')),
    );
    expect(shares[0]).toBeGreaterThan(0);
    expect(shares[1]).toBeGreaterThan(0);
    expect(shares.reduce((sum, share) => sum + share)).toBe(itemIds.length);
  }, 200_000);
});
