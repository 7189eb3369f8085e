/** What becomes of a submission: an answer an item, in their order, or a refusal because too many are waiting. */
export type Submission<R> =
  { readonly kind: 'committed'; readonly results: readonly R[] } | { readonly kind: 'overloaded' };

interface Options<I, R> {
  /** The most items one commit takes; no submission may be larger. */
  readonly maxGroup: number;
  /** The most items that may wait or be in a commit, over all lanes. */
  readonly maxQueued: number;
  /** Commits the items of one lane; one result an item, in their order. */
  readonly commit: (lane: string, items: readonly I[]) => Promise<readonly R[]>;
  readonly onQueued: (items: number) => void;
}

interface Unit<I, R> {
  readonly items: readonly I[];
  readonly signal: AbortSignal;
  readonly resolve: (results: readonly R[]) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupCommit<I, R> {
  submit(lane: string, items: readonly I[], signal: AbortSignal): Promise<Submission<R>>;
}

/**
 * Makes one commit of all submissions to a lane that come in while the one before is under way. An idle lane waits for
 * nothing but the requests that arrived in the same turn of the event loop, so grouping costs no latency; the busier the
 * lane, the larger the groups.
 */
export function createGroupCommit<I, R>(options: Options<I, R>): GroupCommit<I, R> {
  const lanes = new Map<string, Unit<I, R>[]>();
  let queued = 0;

  const count = (change: number): void => {
    queued += change;
    options.onQueued(queued);
  };

  const drain = async (lane: string, waiting: Unit<I, R>[]): Promise<void> => {
    while (waiting.length > 0) {
      const group = takeGroup(waiting, options.maxGroup);
      const answer = await commitGroup(lane, group, options.commit);
      count(-sizeOf(group));
      answer();
    }
    lanes.delete(lane);
  };

  return {
    submit(lane, items, signal) {
      if (items.length > options.maxGroup) {
        return Promise.reject(
          new RangeError(`a group holds ${options.maxGroup} items, found ${items.length}`),
        );
      }
      if (queued + items.length > options.maxQueued) return Promise.resolve({ kind: 'overloaded' });
      count(items.length);
      return new Promise((resolve, reject) => {
        const unit = {
          items,
          signal,
          resolve: (results: readonly R[]) => resolve({ kind: 'committed', results }),
          reject,
        };
        const waiting = lanes.get(lane);
        if (waiting !== undefined) {
          waiting.push(unit);
          return;
        }
        const opened = [unit];
        lanes.set(lane, opened);
        setImmediate(() => void drain(lane, opened));
      });
    },
  };
}

/** Removes from the front as many whole submissions as fit into one group. */
function takeGroup<I, R>(waiting: Unit<I, R>[], maxGroup: number): Unit<I, R>[] {
  let taken = 0;
  let size = 0;
  for (const { items } of waiting) {
    size += items.length;
    if (size > maxGroup) break;
    taken += 1;
  }
  return waiting.splice(0, taken);
}

/** Commits the group; what it returns tells the submissions how it went. */
async function commitGroup<I, R>(
  lane: string,
  group: readonly Unit<I, R>[],
  commit: Options<I, R>['commit'],
): Promise<() => void> {
  // Nobody waits any more for the answer to an aborted submission, and it has not been begun.
  const abandoned = group.filter(({ signal }) => signal.aborted);
  const wanted = group.filter((unit) => !abandoned.includes(unit));
  const items = wanted.flatMap((unit) => unit.items);
  try {
    const results = items.length === 0 ? [] : await commit(lane, items);
    return () => {
      for (const { reject, signal } of abandoned) reject(signal.reason);
      let from = 0;
      for (const unit of wanted) unit.resolve(results.slice(from, (from += unit.items.length)));
    };
  } catch (error) {
    return () => {
      for (const { reject } of group) reject(error);
    };
  }
}

function sizeOf(group: readonly { readonly items: readonly unknown[] }[]): number {
  return group.reduce((sum, { items }) => sum + items.length, 0);
}
