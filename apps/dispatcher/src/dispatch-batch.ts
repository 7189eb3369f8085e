import type { DispatchConfig, DispatchQueue } from '@sluice/queue-core';
import { addTally, emptyTally } from './cycle-counts.js';
import type { CycleCounts, CycleEnd, Tally } from './cycle-counts.js';
import { countSubBatch } from './count-sub-batch.js';
import type { DispatchMetrics } from './metrics.js';
import { nextThrottle, planPace, throttledSize, waitBefore } from './pace.js';
import type { Pace } from './pace.js';
import type { CycleTime, ExecStarter } from './ports.js';
import { settleSubBatch } from './settle-sub-batch.js';
import { startSubBatch } from './start-sub-batch.js';

export interface DispatcherParts {
  readonly queue: DispatchQueue;
  readonly starter: ExecStarter;
  readonly time: CycleTime;
  readonly metrics: DispatchMetrics;
  /** Starts in flight at once. */
  readonly concurrency: number;
  /** Most items claimed at once; all are settled before the next are claimed. */
  readonly maxSubBatch: number;
}

export interface CycleRequest {
  readonly itemType: string;
  /** Names the cycle; the tokens of its claims are made from it. */
  readonly cycleId: string;
  readonly signal: AbortSignal;
  /** Called at every step, and while waiting. */
  readonly onProgress: () => void;
}

export type DispatchBatch = (request: CycleRequest) => Promise<CycleCounts>;

/** A cycle under way. */
interface Cycle extends CycleRequest {
  readonly beganMs: number;
  tally: Tally;
  throttle: number;
}

const longestWaitMs = 5_000;

/**
 * One cycle: claim, start and settle, sub-batch after sub-batch, until the budget is used or nothing is due. A crash
 * at any point leaves claims that go stale and are taken over; what was started by then is found by its id.
 */
export function createDispatchBatch(parts: DispatcherParts): DispatchBatch {
  const throttles = new Map<string, number>();
  return async (request) => {
    const { itemType } = request;
    const cycle: Cycle = {
      ...request,
      beganMs: parts.time.now(),
      tally: emptyTally(),
      throttle: throttles.get(itemType) ?? 1,
    };
    const end = await runCycle(parts, cycle);
    throttles.set(itemType, cycle.throttle);
    parts.metrics.cycleDuration.observe({ item_type: itemType }, (parts.time.now() - cycle.beganMs) / 1000);
    return { ...cycle.tally, end };
  };
}

async function runCycle(parts: DispatcherParts, cycle: Cycle): Promise<CycleEnd> {
  const first = await readEnabledConfig(parts, cycle);
  if (!first) return 'switched_off';
  const pace = planPace({
    batchSize: first.batchSize,
    intervalMs: first.dispatchIntervalSecs * 1000,
    maxSubBatch: parts.maxSubBatch,
  });
  let taken = 0;
  for (let index = 0; taken < first.batchSize; index++) {
    await waitForTurn(parts, cycle, { pace, index });
    if (cycle.signal.aborted) return 'cancelled';
    if (index > 0 && parts.time.now() - cycle.beganMs >= pace.windowMs) return 'out_of_time';
    // Read again each time, so that the kill switch acts between any two sub-batches.
    const config = index === 0 ? first : await readEnabledConfig(parts, cycle);
    if (!config) return 'switched_off';
    const size = Math.min(first.batchSize - taken, throttledSize(pace, cycle.throttle));
    const { found, isAway } = await dispatchSubBatch(parts, cycle, { config, index, size });
    if (isAway) return 'unreachable';
    if (found < size) return 'drained';
    taken += found;
  }
  return 'budget_used';
}

async function readEnabledConfig(parts: DispatcherParts, cycle: Cycle): Promise<DispatchConfig | null> {
  const row = await parts.queue.readConfig(cycle.itemType);
  return row?.config.enabled ? row.config : null;
}

async function waitForTurn(
  { time }: DispatcherParts,
  cycle: Cycle,
  turn: { pace: Pace; index: number },
): Promise<void> {
  while (!cycle.signal.aborted) {
    const waitMs = waitBefore(turn.pace, turn.index, time.now() - cycle.beganMs);
    if (waitMs === 0) return;
    await time.pause(Math.min(waitMs, longestWaitMs), cycle.signal);
    cycle.onProgress();
  }
}

async function dispatchSubBatch(
  parts: DispatcherParts,
  cycle: Cycle,
  turn: { config: DispatchConfig; index: number; size: number },
): Promise<{ found: number; isAway: boolean }> {
  const held = { itemType: cycle.itemType, token: `${cycle.cycleId}-${turn.index}` };
  const claim = await parts.queue.claim({ ...held, limit: turn.size });
  const claimedAtMs = parts.time.now();
  cycle.onProgress();
  const starts = await startSubBatch(parts, { ...cycle, config: turn.config, claim, claimedAtMs });
  const { tally, throttled, isAway } = await settleSubBatch(parts.queue, held, { claim, starts });
  cycle.onProgress();
  cycle.tally = addTally(cycle.tally, tally);
  if (starts.length > 0) cycle.throttle = nextThrottle(cycle.throttle, throttled);
  countSubBatch(parts.metrics, cycle.itemType, { tally, starts });
  return { found: tally.claimed + claim.exhausted.length, isAway };
}
