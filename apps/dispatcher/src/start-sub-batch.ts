import { execWorkflowId } from '@sluice/queue-core';
import type { Claim, ClaimedItem, DispatchConfig } from '@sluice/queue-core';
import type { CycleTime, ExecStarter, StartOutcome } from './ports.js';
import { startDelayMs } from './start-delay.js';

export interface StartedItem {
  readonly item: ClaimedItem;
  readonly workflowId: string;
  readonly outcome:
    | StartOutcome
    /** No answer, and Temporal gives none to anybody: nothing is wrong with the item. */
    | { readonly kind: 'away' }
    | { readonly kind: 'not_tried' }
    | { readonly kind: 'too_large' };
  /** Time from the item's due time to the moment its workflow begins. */
  readonly latenessMs: number;
}

interface SubBatch {
  readonly itemType: string;
  readonly config: DispatchConfig;
  readonly claim: Claim;
  readonly claimedAtMs: number;
  readonly signal: AbortSignal;
  readonly onProgress: () => void;
}

interface StarterParts {
  readonly starter: ExecStarter;
  readonly time: CycleTime;
  readonly concurrency: number;
}

// Temporal refuses an argument over 2 MB, and over 4 MB in the same words as it asks for less load: such an item would
// look like throttling for ever.
const largestArgumentBytes = 2 * 1024 * 1024 - 64 * 1024;
// A control character takes six bytes once it is escaped, and nothing takes more.
const worstGrowth = 6;

/**
 * Starts the exec workflows of a claim, a bounded number at a time. One failure never stops the others; an outage does:
 * each further try would only wait for its deadline.
 */
export async function startSubBatch(parts: StarterParts, batch: SubBatch): Promise<readonly StartedItem[]> {
  const { items } = batch.claim;
  const results: StartedItem[] = [];
  const temporal = watchTemporal(parts.starter);
  let next = 0;
  const lane = async () => {
    for (let item = items[next++]; item; item = items[next++]) {
      const start = () => startOne(parts, { ...batch, isAway: temporal.isAway() }, item);
      results.push(await temporal.startFairly(start));
      batch.onProgress();
    }
  };
  await Promise.all(Array.from({ length: Math.min(parts.concurrency, items.length) }, lane));
  return results;
}

/**
 * Whether a start without an answer is Temporal's fault or its item's. An outage must use up nobody's retries; an item
 * that gets no answer while Temporal gives answers must use up its own and get out of the way.
 */
function watchTemporal(starter: Pick<ExecStarter, 'isReachable'>) {
  let isAway = false;
  let probe: Promise<void> | undefined;
  const checkAway = async (): Promise<boolean> => {
    if (isAway) return true;
    // Starts that gave up at the same moment share one question.
    probe ??= starter.isReachable().then((isReachable) => {
      isAway ||= !isReachable;
      probe = undefined;
    });
    await probe;
    return isAway;
  };
  return {
    isAway: () => isAway,
    /** Tries once more while Temporal answers: an outage may have ended between the try and the question. */
    async startFairly(start: () => Promise<StartedItem>): Promise<StartedItem> {
      let started = await start();
      for (let tries = 1; started.outcome.kind === 'unreachable'; tries++) {
        if (await checkAway()) return { ...started, outcome: { kind: 'away' } };
        if (tries === 2) break;
        started = await start();
      }
      return started;
    },
  };
}

async function startOne(
  parts: StarterParts,
  batch: SubBatch & { readonly isAway: boolean },
  item: ClaimedItem,
): Promise<StartedItem> {
  const { config } = batch;
  const workflowId = execWorkflowId(batch.itemType, item.itemId);
  const msSinceClaim = parts.time.now() - batch.claimedAtMs;
  // Half way to going stale the claim is given back, before another dispatcher has a reason to take it over.
  const tooLate = msSinceClaim > (config.staleClaimThresholdMins * 60_000) / 2;
  if (batch.signal.aborted || batch.isAway || tooLate) {
    return { item, workflowId, outcome: { kind: 'not_tried' }, latenessMs: 0 };
  }
  if (isTooLarge(item.contextJson)) {
    return { item, workflowId, outcome: { kind: 'too_large' }, latenessMs: 0 };
  }
  const delayMs = startDelayMs({
    msUntilDue: item.msUntilDue,
    msSinceClaim,
    jitterWindowMs: config.jitterWindowMs,
    random: parts.time.random(),
  });
  const outcome = await parts.starter.start({
    workflowId,
    workflowType: config.execWorkflowType,
    taskQueue: config.execTaskQueue,
    args: [item.itemId, item.contextJson],
    startDelayMs: delayMs,
  });
  return { item, workflowId, outcome, latenessMs: delayMs + msSinceClaim - item.msUntilDue };
}

/** A context is a text, and Temporal gets every argument as JSON: quotes and line ends in it are escaped once more. */
function isTooLarge(contextJson: string): boolean {
  if (Buffer.byteLength(contextJson) * worstGrowth <= largestArgumentBytes) return false;
  return Buffer.byteLength(JSON.stringify(contextJson)) > largestArgumentBytes;
}
