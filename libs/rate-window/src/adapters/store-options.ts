export interface StoreOptions {
  /** Instead of the clock of the database, which all nodes share; for tests. */
  readonly clock?: { now(): Date };
}

/** The present for the database, in milliseconds; null leaves it to the database's own clock. */
export function presentOf({ clock }: StoreOptions): number | null {
  return clock === undefined ? null : clock.now().getTime();
}

/** The present as this process sees it. */
export function localPresentOf({ clock }: StoreOptions): number {
  return clock === undefined ? Date.now() : clock.now().getTime();
}
