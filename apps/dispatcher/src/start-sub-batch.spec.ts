import type { Claim, ClaimedItem, DispatchConfig } from '@sluice/queue-core';
import type { StartRequest } from './ports.js';
import { startSubBatch } from './start-sub-batch.js';

const config: DispatchConfig = {
  enabled: true,
  batchSize: 100,
  dispatchIntervalSecs: 5,
  jitterWindowMs: 0,
  preStartBufferMins: 1,
  maxDispatchRetries: 3,
  staleClaimThresholdMins: 2,
  execWorkflowType: 'SampleWorkflow',
  execTaskQueue: 'sample',
};

const item = (itemId: string, changes: Partial<ClaimedItem> = {}): ClaimedItem => ({
  itemId,
  contextJson: '{}',
  contextVersion: 1,
  scheduledExecTime: new Date(0),
  msUntilDue: -1_000,
  retryCount: 0,
  reclaimed: false,
  ...changes,
});

const claimOf = (items: ClaimedItem[]): Claim => ({ items, withoutContext: [], exhausted: [] });

interface Changes {
  readonly concurrency?: number;
  readonly now?: () => number;
  /** Items that get no answer. */
  readonly unanswered?: readonly string[];
  /** How many of their tries get none; all if not given. */
  readonly unansweredTries?: number;
  readonly isReachable?: boolean;
}

function setUp(items: ClaimedItem[], changes: Changes = {}) {
  const requests: StartRequest[] = [];
  const time = { now: changes.now ?? (() => 0), pause: () => Promise.resolve(), random: () => 0 };
  let inFlight = 0;
  const seen = { most: 0, probes: 0 };
  const starter = {
    start: async (request: StartRequest) => {
      requests.push(request);
      seen.most = Math.max(seen.most, ++inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight--;
      const tries = requests.filter(({ workflowId }) => workflowId === request.workflowId).length;
      const isLost =
        (changes.unanswered?.includes(request.args[0]) ?? false) &&
        tries <= (changes.unansweredTries ?? Number.POSITIVE_INFINITY);
      return isLost ? ({ kind: 'unreachable', error: 'no answer' } as const) : ({ kind: 'started' } as const);
    },
    isReachable: async () => {
      seen.probes++;
      await new Promise((resolve) => setImmediate(resolve));
      return changes.isReachable ?? true;
    },
  };
  const controller = new AbortController();
  const batch = {
    itemType: 'SAMPLE',
    config,
    claim: claimOf(items),
    claimedAtMs: 0,
    signal: controller.signal,
  };
  const run = () =>
    startSubBatch(
      { starter, time, concurrency: changes.concurrency ?? 4 },
      { ...batch, onProgress: () => undefined },
    );
  return { run, requests, seen, controller };
}

describe('startSubBatch', () => {
  it('starts each item once, under its id, and never more at a time than allowed', async () => {
    const items = Array.from({ length: 25 }, (_, index) => item(`i${index}`));
    const { run, requests, seen } = setUp(items);
    const starts = await run();
    expect(starts.map((start) => start.item.itemId).toSorted()).toEqual(
      items.map((one) => one.itemId).toSorted(),
    );
    expect(new Set(requests.map((request) => request.workflowId)).size).toBe(25);
    expect(requests[0]).toEqual({
      workflowId: 'exec-sample-i0',
      workflowType: 'SampleWorkflow',
      taskQueue: 'sample',
      args: ['i0', '{}'],
      startDelayMs: 0,
    });
    expect(seen.most).toBe(4);
  });

  it('shortens the delay by the time that has passed since the claim', async () => {
    const { run, requests } = setUp([item('early', { msUntilDue: 10_000 })], { now: () => 1_500 });
    const [start] = await run();
    expect(requests[0]?.startDelayMs).toBe(8_500);
    expect(start?.latenessMs).toBe(0);
  });

  it.each([
    ['as it is', 'x'.repeat(2 * 1024 * 1024)],
    ['once its quotes are escaped', '"'.repeat(1_100_000)],
    ['once its control characters are escaped', '\u0001'.repeat(400_000)],
  ])('does not offer a context to Temporal that is too large %s', async (_name, contextJson) => {
    const { run, requests } = setUp([item('big', { contextJson })]);
    expect((await run())[0]?.outcome).toEqual({ kind: 'too_large' });
    expect(requests).toEqual([]);
  });

  it('offers a large context that Temporal can take', async () => {
    const { run } = setUp([item('large', { contextJson: 'x'.repeat(1_900_000) })]);
    expect((await run())[0]?.outcome).toEqual({ kind: 'started' });
  });

  it('tries nothing more once it is told to stop', async () => {
    const { run, requests, controller } = setUp([item('a'), item('b'), item('c')], { concurrency: 1 });
    const running = run();
    controller.abort();
    expect((await running).map((start) => start.outcome.kind)).toEqual(['started', 'not_tried', 'not_tried']);
    expect(requests).toHaveLength(1);
  });

  it('tries nothing more when the claim is half way to going stale', async () => {
    const { run, requests } = setUp([item('a')], { now: () => 60_001 });
    expect((await run())[0]?.outcome).toEqual({ kind: 'not_tried' });
    expect(requests).toEqual([]);
  });

  const kindsOf = async (run: () => ReturnType<typeof startSubBatch>) =>
    Object.fromEntries((await run()).map((start) => [start.item.itemId, start.outcome.kind]));

  it('takes an item without an answer for bad as long as Temporal gives answers', async () => {
    const items = ['a', 'b', 'c', 'd'].map((id) => item(id));
    const { run, requests, seen } = setUp(items, { concurrency: 2, unanswered: ['a', 'b'] });
    expect(await kindsOf(run)).toEqual({ a: 'unreachable', b: 'unreachable', c: 'started', d: 'started' });
    expect(requests).toHaveLength(6);
    expect(seen.probes).toBe(2);
  });

  it('blames no item for an outage that ended before it could be asked about', async () => {
    const { run } = setUp([item('a'), item('b')], { unanswered: ['a'], unansweredTries: 1 });
    expect(await kindsOf(run)).toEqual({ a: 'started', b: 'started' });
  });

  it('takes Temporal for away when it gives no answer to anybody, and tries nothing more', async () => {
    const items = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => item(id));
    const unanswered = ['c', 'd', 'e', 'f'];
    const { run, requests, seen } = setUp(items, { concurrency: 2, unanswered, isReachable: false });
    expect(await kindsOf(run)).toEqual({
      a: 'started',
      b: 'started',
      c: 'away',
      d: 'away',
      e: 'not_tried',
      f: 'not_tried',
    });
    expect(requests).toHaveLength(4);
    expect(seen.probes).toBe(1);
  });
});
