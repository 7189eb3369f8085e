/** One submission on its way. Exactly one of commit, refuse and fail is called, unless it is gone; `leave` always, last. */
export interface Unit<I, R> {
  readonly items: readonly I[];
  /** When it came, by a clock that never goes back. */
  readonly since: number;
  /** Its caller does not wait any more. As long as it is in no commit, it is left out of all. */
  isGone: boolean;
  readonly commit: (results: readonly R[]) => void;
  readonly refuse: () => void;
  readonly fail: (error: unknown) => void;
  /** It holds no room any more. */
  readonly leave: () => void;
}

/** Units in the order they came. */
export interface WaitingLine<I, R> {
  /** How many items all units have together. */
  items(): number;
  oldest(): Unit<I, R> | undefined;
  add(unit: Unit<I, R>): void;
  /** Removes from the front as many whole units as fit into one group. */
  takeGroup(maxItems: number): readonly Unit<I, R>[];
  /** Removes those that came at this time or before it. */
  takeExpired(latest: number): readonly Unit<I, R>[];
}

export function createWaitingLine<I, R>(): WaitingLine<I, R> {
  const waiting: Unit<I, R>[] = [];
  let items = 0;
  const remove = (units: number): Unit<I, R>[] => {
    const removed = waiting.splice(0, units);
    for (const unit of removed) items -= unit.items.length;
    return removed;
  };
  /** Removes all before the first that is not wanted. */
  const removeUntil = (isBeyond: (unit: Unit<I, R>) => boolean): Unit<I, R>[] => {
    const beyond = waiting.findIndex(isBeyond);
    return remove(beyond === -1 ? waiting.length : beyond);
  };
  return {
    items: () => items,
    oldest: () => waiting[0],
    add(unit) {
      waiting.push(unit);
      items += unit.items.length;
    },
    takeGroup(maxItems) {
      let size = 0;
      return removeUntil((unit) => (size += unit.items.length) > maxItems);
    },
    takeExpired: (latest) => removeUntil((unit) => unit.since > latest),
  };
}
