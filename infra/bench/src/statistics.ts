/** The smallest value that at least this share of all values does not exceed (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  const found = sorted[rank - 1];
  if (found === undefined) throw new RangeError('a percentile of no values');
  return found;
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('a median of no values');
  return (lower + upper) / 2;
}

/** The order for one repeat: each repeat begins with another, so that no one always comes first. */
export function rotated<T>(items: readonly T[], repeat: number): readonly T[] {
  const first = items.length === 0 ? 0 : repeat % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

/** How many of these moments fall into the second in which most do. */
export function mostInOneSecond(momentsMs: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const ms of momentsMs) {
    const second = Math.floor(ms / 1000);
    counts.set(second, (counts.get(second) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}
