/**
 * The delay that Temporal is asked for: what is left until the item's time, and jitter on top. The time left was
 * measured by the store at the claim and only shrinks by time that has passed here since the claim came back, so that
 * it may come out too long by the way back of the answer, and never too short: nothing starts before its time.
 */
export function startDelayMs(item: {
  msUntilDue: number;
  msSinceClaim: number;
  jitterWindowMs: number;
  random: number;
}): number {
  const left = Math.max(0, Math.ceil(item.msUntilDue - item.msSinceClaim));
  return left + Math.floor(item.random * (item.jitterWindowMs + 1));
}
