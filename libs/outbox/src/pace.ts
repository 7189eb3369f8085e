export interface Pace {
  /** a send took so long */
  observe(ms: number): void;
  /** how many instructions of one participant may be claimed together */
  runLength(): number;
}

/** How much one send counts against the sends before it. */
const weight = 0.2;

/**
 * How long a run may be, by how long sends take. What is claimed together is in doubt together when its relay dies, so a run
 * is no longer than what can be sent in the budget: many where a send takes a moment, one where it takes its time.
 */
export function createPace({
  budgetMs,
  longest,
}: {
  readonly budgetMs: number;
  readonly longest: number;
}): Pace {
  let average: number | undefined;
  return {
    observe(ms) {
      average = average === undefined ? ms : average + weight * (ms - average);
    },
    runLength() {
      if (average === undefined) return 1;
      return Math.max(1, Math.min(longest, Math.floor(budgetMs / Math.max(average, 0.001))));
    },
  };
}
