import { setTimeout as sleep } from 'node:timers/promises';
import { createCrashRig } from './testing/crash-rig.js';
import type { CrashRig } from './testing/crash-rig.js';
import { execIdOf, findUnevenStarts } from './testing/exec-runs.js';
import { createSubject, fill, itemIdsOf, itemsIn, itemsWith, itemsWithRetries } from './testing/subject.js';
import type { Subject } from './testing/subject.js';
import { until } from './testing/until.js';

const outageMs = 20_000;

describe('a dispatcher that loses Temporal for 20 s in the middle of a sub-batch', () => {
  const itemIds = itemIdsOf(120);
  let rig: CrashRig;
  let subject: Subject;

  beforeAll(async () => {
    rig = await createCrashRig(process.env);
    subject = await createSubject(rig, 'OUTAGE');
    await fill(subject, itemIds);
    // By then some of the sub-batch are started, one is without its answer and others are on the way.
    const text = execIdOf(subject, itemIds[25] ?? '');
    const freeze = rig.toTemporal.freezeAt({ way: 'up', text, freeze: 'after' });
    const dispatcher = await rig.start({ SLUICE_SUB_BATCH_SIZE: '10', SLUICE_START_CONCURRENCY: '4' });
    await until('the dispatcher is in the third sub-batch', freeze.isReached);
    rig.toTemporal.cut();
    await sleep(outageMs);
    expect(dispatcher.running()).toBe(true);
    expect(await itemsIn(subject, 'DISPATCHED')).not.toContain(itemIds[30]);
    rig.toTemporal.mend();
  }, 90_000);
  afterAll(() => rig.close());

  it('dispatches all items afterwards, and starts none of them twice', async () => {
    expect(await findUnevenStarts(subject, itemIds, 60_000)).toEqual([]);
  }, 90_000);

  it('uses up no retries', async () => {
    expect(await itemsWith(subject, 'EXHAUSTED')).toEqual([]);
    expect(await itemsWithRetries(subject)).toEqual([]);
  });
});
