import { createCrashRig } from './testing/crash-rig.js';
import type { CrashRig } from './testing/crash-rig.js';
import { findUnevenStarts, runOf } from './testing/exec-runs.js';
import {
  createSubject,
  fill,
  itemIdsOf,
  itemsIn,
  itemsWith,
  itemsWithRetries,
  statuses,
} from './testing/subject.js';
import type { Subject } from './testing/subject.js';
import { until } from './testing/until.js';

// Temporal takes 2 MB as an argument and 4 MB as a message; as an argument, a context is written as JSON once more.
const poisons = [
  { title: 'too large', context: `{}${' '.repeat(2_500_000)}` },
  { title: 'too large as an argument', context: `{}${'\n'.repeat(1_900_000)}` },
  { title: 'too large as a message', context: `{}${'\u0001'.repeat(900_000)}` },
];

describe('the dispatcher', () => {
  let rig: CrashRig;
  let forgotten: Subject;
  const poisoned = new Map<(typeof poisons)[number], Subject>();

  beforeAll(async () => {
    rig = await createCrashRig(process.env);
    forgotten = await createSubject(rig, 'FORGOTTEN');
    for (const [index, poison] of poisons.entries()) {
      poisoned.set(poison, await createSubject(rig, `POISONED${index}`, { dispatchIntervalSecs: 1 }));
    }
    await rig.start({ SLUICE_SUB_BATCH_SIZE: '5' });
  });
  afterAll(() => rig.close());

  it('does not start an item again whose workflow is over and whose mark was lost', async () => {
    const itemIds = itemIdsOf(20);
    await fill(forgotten, itemIds);
    expect(await findUnevenStarts(forgotten, itemIds)).toEqual([]);
    const look = () => Promise.all(itemIds.map((itemId) => runOf(forgotten, itemId)));
    await until('all workflows are over', async () => (await look()).every((run) => run?.isOver));
    const before = await look();
    await rig.pool.query(
      `UPDATE exec_queue
          SET queue_status = 'READY', dispatch_batch_id = NULL, exec_workflow_id = NULL, claimed_at = NULL, dispatched_at = NULL
        WHERE item_type = $1`,
      [forgotten.itemType],
    );
    expect(await findUnevenStarts(forgotten, itemIds)).toEqual([]);
    expect(await look()).toEqual(before);
    expect(await itemsWith(forgotten, 'DISPATCHED')).toEqual(itemIds);
    expect(await itemsWith(forgotten, 'ALREADY_STARTED')).toEqual(itemIds);
    expect(await itemsWithRetries(forgotten)).toEqual([]);
  });

  it.each(poisons)(
    'sets items aside whose context is $title, and lets them hold up nothing',
    async (poison) => {
      const subject = poisoned.get(poison) ?? forgotten;
      // More than a sub-batch, and the oldest, so that they come first in every cycle.
      const poisonIds = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6'];
      const itemIds = itemIdsOf(20);
      await fill(subject, poisonIds, () => poison.context);
      await fill(subject, itemIds);
      expect(await findUnevenStarts(subject, itemIds)).toEqual([]);
      await until('nothing waits any more', async () => {
        const { READY = 0, CLAIMED = 0 } = await statuses(subject);
        return READY + CLAIMED === 0;
      });
      expect(await itemsIn(subject, 'EXHAUSTED')).toEqual(poisonIds);
      expect(await itemsWith(subject, 'EXHAUSTED')).toEqual(poisonIds);
      for (const itemId of poisonIds) {
        const found = await subject.queue.findItem(subject.itemType, itemId);
        expect(found?.row.lastError).toEqual(expect.stringMatching(/./));
        expect(await runOf(subject, itemId)).toBeUndefined();
      }
      const retried = await itemsWithRetries(subject);
      expect(retried.filter((itemId) => itemIds.includes(itemId))).toEqual([]);
    },
  );
});
