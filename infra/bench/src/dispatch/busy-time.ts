export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The time that spans cover together, with the short gaps between them; longer gaps are rest and do not count. */
export function busyMs(spans: readonly Span[], longestGapMs: number): number {
  const [first, ...later] = spans.toSorted((one, other) => one.fromMs - other.fromMs);
  if (first === undefined) return 0;
  let busy = 0;
  let current = first;
  for (const span of later) {
    if (span.fromMs - current.toMs > longestGapMs) {
      busy += current.toMs - current.fromMs;
      current = span;
    } else {
      current = { fromMs: current.fromMs, toMs: Math.max(current.toMs, span.toMs) };
    }
  }
  return busy + current.toMs - current.fromMs;
}
