// Where windows begin, and how much of the first one an event that comes in the middle of it may use.

/** Start of the window that holds the instant; windows are aligned to the epoch. Times in milliseconds. */
export function alignToWindow(instant: number, windowSize: number): number {
  return Math.floor(instant / windowSize) * windowSize;
}

/**
 * How many slots a window may hold for an event that asks for a time `elapsed` milliseconds after its start: the
 * share of the capacity that belongs to the time left. Exact for every value the limits allow.
 */
export function proportionalCapacity(capacity: number, windowSize: number, elapsed: number): number {
  return Number((BigInt(capacity) * BigInt(windowSize - elapsed)) / BigInt(windowSize));
}
