import { createLane } from './group-lane.js';
import type { Lane, LaneOptions } from './group-lane.js';
import type { Unit } from './waiting-line.js';

/** What becomes of a submission: an answer an item, in their order, or a refusal that left nothing behind. */
export type Submission<R> =
  | { readonly kind: 'committed'; readonly results: readonly R[] }
  /** Too many items wait on this node, or these have waited for too long. */
  | { readonly kind: 'overloaded' }
  /** This caller alone has too many items waiting. */
  | { readonly kind: 'caller-overloaded' };

export interface GroupCommitOptions<I, R> extends Omit<LaneOptions<I, R>, 'commit'> {
  /** The most items that may wait or be in a commit, over all lanes. */
  readonly maxQueued: number;
  /** The same for the items of one caller. */
  readonly maxQueuedOfCaller: number;
  /** Commits the items of one lane; one result an item, in their order. */
  readonly commit: (lane: string, items: readonly I[]) => Promise<readonly R[]>;
  readonly onQueued: (items: number) => void;
}

export interface Batch<I> {
  readonly lane: string;
  readonly caller: string;
  readonly items: readonly I[];
}

export interface GroupCommit<I, R> {
  /** Rejects when the commit fails, or at once when the signal aborts; the others of the group are not concerned then. */
  submit(batch: Batch<I>, signal: AbortSignal): Promise<Submission<R>>;
}

/**
 * Makes one commit of all submissions to a lane that come in while the one before is under way. An idle lane waits for
 * nothing but the requests that arrived in the same turn of the event loop, so grouping costs no latency; the busier the
 * lane, the larger the groups.
 */
export function createGroupCommit<I, R>(options: GroupCommitOptions<I, R>): GroupCommit<I, R> {
  const lanes = new Map<string, Lane<I, R>>();
  const ofCallers = new Map<string, number>();
  let queued = 0;

  const count = (caller: string, change: number): void => {
    queued += change;
    const ofCaller = (ofCallers.get(caller) ?? 0) + change;
    if (ofCaller === 0) ofCallers.delete(caller);
    else ofCallers.set(caller, ofCaller);
    options.onQueued(queued);
  };

  const laneOf = (name: string): Lane<I, R> => {
    const found = lanes.get(name);
    if (found !== undefined) return found;
    const commit = (items: readonly I[]): Promise<readonly R[]> => options.commit(name, items);
    const lane: Lane<I, R> = createLane({ ...options, commit }, () => {
      if (lanes.get(name) === lane) lanes.delete(name);
    });
    lanes.set(name, lane);
    return lane;
  };

  return {
    async submit({ lane, caller, items }, signal) {
      const { length } = items;
      if (length > options.maxGroup) {
        throw new RangeError(`a group holds ${options.maxGroup} items, found ${length}`);
      }
      signal.throwIfAborted();
      if (queued + length > options.maxQueued) return { kind: 'overloaded' };
      if ((ofCallers.get(caller) ?? 0) + length > options.maxQueuedOfCaller) {
        return { kind: 'caller-overloaded' };
      }
      count(caller, length);
      const { promise, resolve, reject } = Promise.withResolvers<Submission<R>>();
      const unit: Unit<I, R> = {
        items,
        since: options.now(),
        isGone: false,
        commit: (results) => resolve({ kind: 'committed', results }),
        refuse: () => resolve({ kind: 'overloaded' }),
        fail: reject,
        leave: () => count(caller, -length),
      };
      const abandon = (): void => {
        unit.isGone = true;
        reject(signal.reason);
      };
      signal.addEventListener('abort', abandon, { once: true });
      laneOf(lane).add(unit);
      try {
        return await promise;
      } finally {
        signal.removeEventListener('abort', abandon);
      }
    },
  };
}
