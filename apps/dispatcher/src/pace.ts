/** How one cycle spreads its budget: sub-batch n begins n gaps after the first, and none after the window. */
export interface Pace {
  readonly subBatchSize: number;
  readonly gapMs: number;
  readonly windowMs: number;
}

// A cycle that ran through its whole interval would still be open at the next tick, and the Schedule would skip that one.
const windowShare = 0.8;

// Smaller steps cost more round trips than their evenness is worth.
const finestGapMs = 500;

/** Spreads the batch evenly over the interval: a rate, and not a burst at every tick. */
export function planPace(settings: { batchSize: number; intervalMs: number; maxSubBatch: number }): Pace {
  const windowMs = settings.intervalMs * windowShare;
  const fewest = Math.ceil(settings.batchSize / settings.maxSubBatch);
  const evenest = Math.min(settings.batchSize, Math.floor(windowMs / finestGapMs));
  const steps = Math.max(fewest, evenest, 1);
  return { subBatchSize: Math.ceil(settings.batchSize / steps), gapMs: windowMs / steps, windowMs };
}

/** How long sub-batch `index` still has to wait, `elapsedMs` after the cycle began; 0 when it is late. */
export function waitBefore(pace: Pace, index: number, elapsedMs: number): number {
  return Math.max(0, index * pace.gapMs - elapsedMs);
}

const lowestThrottle = 1 / 64;
const recoveryStep = 0.05;

/** The share of the planned rate that Temporal takes at present: halved when it says no, raised slowly when it does not. */
export function nextThrottle(throttle: number, wasThrottled: boolean): number {
  return wasThrottled ? Math.max(lowestThrottle, throttle / 2) : Math.min(1, throttle + recoveryStep);
}

export function throttledSize(pace: Pace, throttle: number): number {
  return Math.max(1, Math.floor(pace.subBatchSize * throttle));
}
