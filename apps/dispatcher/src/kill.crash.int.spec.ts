import { createCrashRig } from './testing/crash-rig.js';
import type { CrashRig } from './testing/crash-rig.js';
import type { DispatcherProcess } from './testing/dispatcher-process.js';
import { endOrphanedCycle, execIdOf, findUnevenStarts, runOf } from './testing/exec-runs.js';
import {
  ageClaims,
  configure,
  contextMark,
  createSubject,
  fill,
  itemIdsOf,
  itemsIn,
  itemsWith,
} from './testing/subject.js';
import type { Subject } from './testing/subject.js';
import type { Freeze } from './testing/tcp-proxy.js';
import { until } from './testing/until.js';

// Three sub-batches of five, started one after another: the dispatcher dies in the second one.
const itemIds = itemIdsOf(15);
const inHand = itemIds.slice(5, 10);
const [first = '', , third = ''] = inHand;
const variables = {
  SLUICE_SUB_BATCH_SIZE: '5',
  SLUICE_START_CONCURRENCY: '1',
  // A frozen start must not be given up before the dispatcher is killed.
  SLUICE_START_TIMEOUT_SECONDS: '20',
};

interface Point {
  readonly title: string;
  freeze(subject: Subject): Freeze;
  /** What has been started of the sub-batch by then. */
  readonly started: readonly string[];
  readonly isMarked?: boolean;
}

const onStart = (itemId: string, freeze: 'before' | 'after') => (subject: Subject) =>
  subject.rig.toTemporal.freezeAt({ way: 'up', text: execIdOf(subject, itemId), freeze });
// Only the mark carries workflow ids to the database.
const onMark = (freeze: 'before' | 'after') => (subject: Subject) =>
  subject.rig.toPostgres.freezeAt({ way: 'up', text: execIdOf(subject, first), freeze });

const points: Point[] = [
  {
    title: 'when its claim is made and the answer has not come',
    freeze: (subject) =>
      subject.rig.toPostgres.freezeAt({ way: 'down', text: contextMark(subject, first), freeze: 'before' }),
    started: [],
  },
  { title: 'between the claim and the first start', freeze: onStart(first, 'before'), started: [] },
  {
    title: 'when a start is made and the answer has not come',
    freeze: onStart(first, 'after'),
    started: inHand.slice(0, 1),
  },
  {
    title: 'between two starts of a claim',
    freeze: onStart(third, 'before'),
    started: inHand.slice(0, 2),
  },
  { title: 'between the last start and the mark', freeze: onMark('before'), started: inHand },
  {
    title: 'when the mark is made and the answer has not come',
    freeze: onMark('after'),
    started: inHand,
    isMarked: true,
  },
];

describe('a dispatcher that is killed', () => {
  let rig: CrashRig;
  let dispatcher: DispatcherProcess;
  let unaided: Subject;
  const subjects = new Map<Point, Subject>();

  beforeAll(async () => {
    rig = await createCrashRig(process.env);
    unaided = await createSubject(rig, 'UNAIDED', { staleClaimThresholdMins: 1 });
    for (const [index, point] of points.entries()) {
      subjects.set(point, await createSubject(rig, `POINT${index}`, { enabled: false }));
    }
    const freeze = onMark('before')(unaided);
    await fill(unaided, itemIds);
    dispatcher = await rig.start(variables);
    await until('the dispatcher is in the second sub-batch', freeze.isReached);
    await dispatcher.kill();
    dispatcher = await rig.start(variables);
  });
  afterAll(() => rig.close());

  it.each(points)('$title: all items start once and are dispatched by the next one', async (point) => {
    if (!dispatcher.running()) dispatcher = await rig.start(variables);
    const subject = subjects.get(point) ?? unaided;
    const freeze = point.freeze(subject);
    await fill(subject, itemIds);
    await configure(subject, { enabled: true });
    await until('the dispatcher is in the second sub-batch', freeze.isReached);
    await until('the servers have done what they were told by then', async () => {
      const starts = await Promise.all(point.started.map((itemId) => runOf(subject, itemId)));
      const isMarked = (await itemsIn(subject, 'DISPATCHED')).includes(first);
      // Over, since a run that has ended is what the usual policies of Temporal would start again.
      return starts.every((run) => run?.isOver) && (isMarked || !point.isMarked);
    });
    await dispatcher.kill();

    const claimed = point.isMarked ? [] : inHand;
    expect(await itemsIn(subject, 'CLAIMED')).toEqual(claimed);
    const before = await Promise.all(itemIds.map((itemId) => runOf(subject, itemId)));
    const alive = itemIds.filter((_, index) => before[index] !== undefined);
    expect(alive).toEqual([...itemIds.slice(0, 5), ...point.started]);

    await ageClaims(subject);
    await endOrphanedCycle(subject);
    dispatcher = await rig.start(variables);
    expect(await findUnevenStarts(subject, itemIds)).toEqual([]);
    const after = await Promise.all(itemIds.map((itemId) => runOf(subject, itemId)));
    before.forEach((run, index) => run && expect(after[index]?.runId).toBe(run.runId));
    expect(await itemsWith(subject, 'RECLAIMED')).toEqual(claimed);
    expect(await itemsWith(subject, 'ALREADY_STARTED')).toEqual(point.isMarked ? [] : point.started);
    await configure(subject, { enabled: false });
  });

  it('needs no help: its cycle is given up and its claim goes stale within about a minute', async () => {
    expect(await findUnevenStarts(unaided, itemIds, 100_000)).toEqual([]);
    expect(await itemsWith(unaided, 'RECLAIMED')).toHaveLength(5);
  }, 110_000);
});
