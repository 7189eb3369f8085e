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

function setUp(items: ClaimedItem[], changes: { concurrency?: number; now?: () => number } = {}) {
  const requests: StartRequest[] = [];
  const time = { now: changes.now ?? (() => 0), pause: () => Promise.resolve(), random: () => 0 };
  let inFlight = 0;
  const seen = { most: 0 };
  const starter = {
    start: async (request: StartRequest) => {
      requests.push(request);
      seen.most = Math.max(seen.most, ++inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight--;
      return { kind: 'started' } as const;
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

  it('does not offer a context to Temporal that it cannot take', async () => {
    const { run, requests } = setUp([item('big', { contextJson: `"${'x'.repeat(2 * 1024 * 1024)}"` })]);
    expect((await run())[0]?.outcome).toEqual({ kind: 'too_large' });
    expect(requests).toEqual([]);
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
});
