// Half-open spans of milliseconds, as sorted lists in which no two touch.

export interface Span {
  readonly from: number;
  readonly until: number;
}

/** Sorts the spans and joins those that touch; empty ones are left out. */
export function unite(spans: readonly Span[]): Span[] {
  const united: { from: number; until: number }[] = [];
  for (const { from, until } of [...spans].sort((a, b) => a.from - b.from)) {
    if (from >= until) continue;
    const last = united.at(-1);
    if (last !== undefined && from <= last.until) last.until = Math.max(last.until, until);
    else united.push({ from, until });
  }
  return united;
}

/** What of the spans lies in none of the others; both are sorted lists. */
export function subtract(spans: readonly Span[], others: readonly Span[]): Span[] {
  const rest: Span[] = [];
  let first = 0;
  for (const span of spans) {
    let { from } = span;
    while (first < others.length && (others[first]?.until ?? 0) <= from) first += 1;
    for (let at = first; at < others.length; at += 1) {
      const other = others[at];
      if (other === undefined || other.from >= span.until) break;
      if (other.from > from) rest.push({ from, until: other.from });
      from = Math.max(from, other.until);
    }
    if (from < span.until) rest.push({ from, until: span.until });
  }
  return rest;
}

/** What of the spans lies inside the bounds. */
export function clip(spans: readonly Span[], bounds: Span): Span[] {
  return spans
    .map(({ from, until }) => ({ from: Math.max(from, bounds.from), until: Math.min(until, bounds.until) }))
    .filter(({ from, until }) => from < until);
}

export function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { from, until }) => sum + until - from, 0);
}
