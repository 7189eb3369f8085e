import { createWaitingLine } from './waiting-line.js';
import type { Unit } from './waiting-line.js';

export interface LaneOptions<I, R> {
  /** The most items one commit takes; no unit may be larger. */
  readonly maxGroup: number;
  /** A unit that waits for longer is refused. */
  readonly maxWaitMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** One result an item, in their order. */
  readonly commit: (items: readonly I[]) => Promise<readonly R[]>;
  /** Whether an error is the fault of some items of a group, so that the others deserve a commit without them. */
  readonly isFaultOfItems: (error: unknown) => boolean;
}

export interface Lane<I, R> {
  add(unit: Unit<I, R>): void;
}

/**
 * While one commit is under way, a second is sent only for a group that is full: the database then has its next work
 * at hand while this node reads the answers of the one before. Smaller groups wait and grow instead.
 */
const MOST_UNDER_WAY = 2;

/** The submissions of one lane in the order they came, and the commits that are made of them. */
export function createLane<I, R>(options: LaneOptions<I, R>, onIdle: () => void): Lane<I, R> {
  const line = createWaitingLine<I, R>();
  let underWay = 0;
  let isPlanned = false;
  let expiry: NodeJS.Timeout | undefined;

  const commitNext = async (): Promise<void> => {
    const group = line.takeGroup(options.maxGroup);
    underWay += 1;
    await commitGroup(group, options);
    underWay -= 1;
    for (const unit of group) unit.leave();
    advance();
  };

  const advance = (): void => {
    for (const unit of line.takeExpired(options.now() - options.maxWaitMs)) {
      unit.refuse();
      unit.leave();
    }
    while (line.oldest() !== undefined && underWay < MOST_UNDER_WAY) {
      if (underWay > 0 && line.items() < options.maxGroup) break;
      void commitNext();
    }
    clearTimeout(expiry);
    const oldest = line.oldest();
    if (oldest !== undefined) {
      const leftMs = oldest.since + options.maxWaitMs - options.now();
      expiry = setTimeout(advance, Math.max(1, leftMs)).unref();
    } else if (underWay === 0) onIdle();
  };

  return {
    add(unit) {
      line.add(unit);
      if (isPlanned) return;
      isPlanned = true;
      setImmediate(() => {
        isPlanned = false;
        advance();
      });
    },
  };
}

/** Commits what is still wanted of a group and tells the units how it went. */
async function commitGroup<I, R>(group: readonly Unit<I, R>[], options: LaneOptions<I, R>): Promise<void> {
  const wanted = group.filter(({ isGone }) => !isGone);
  if (wanted.length === 0) return;
  try {
    const results = await options.commit(wanted.flatMap(({ items }) => items));
    let from = 0;
    for (const unit of wanted) unit.commit(results.slice(from, (from += unit.items.length)));
  } catch (error) {
    if (wanted.length > 1 && options.isFaultOfItems(error)) {
      for (const unit of wanted) await commitGroup([unit], options);
    } else {
      for (const unit of wanted) unit.fail(error);
    }
  }
}
