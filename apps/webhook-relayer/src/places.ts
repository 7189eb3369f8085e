import type { ClaimedDelivery } from './delivery-ports.js';

/** Counts what this instance has in flight, by subscription, and what it has promised. */
export interface Places {
  readonly inFlight: ReadonlyMap<string, number>;
  free(): number;
  /** Of the free places, those that first attempts may take: some are kept for retries. */
  freeForFirst(): number;
  promise(count: number): void;
  redeem(count: number): void;
  /** Occupies a place until the work is done. */
  occupy(claim: ClaimedDelivery, work: Promise<void>): void;
  size(): number;
  /** Resolves when so many places are free for first attempts, or after so long. */
  roomForFirst(count: number, atMostMs: number): Promise<void>;
  /** Resolves when nothing is in flight and nothing is promised. */
  idle(): Promise<void>;
}

/** Retries have so much to themselves, or a flood of new events would put them off for as long as it lasts. */
const SHARE_OF_RETRIES = 0.25;

export function createPlaces(options: {
  readonly total: number;
  readonly onChange: (size: number) => void;
  readonly onFreed: (subscriptionId: string) => void;
}): Places {
  const inFlight = new Map<string, number>();
  let size = 0;
  let promised = 0;
  let waiting: (() => void)[] = [];
  const room = createRoomQueue();

  const change = (subscriptionId: string, by: number): void => {
    const count = (inFlight.get(subscriptionId) ?? 0) + by;
    if (count > 0) inFlight.set(subscriptionId, count);
    else inFlight.delete(subscriptionId);
    size += by;
    options.onChange(size);
  };
  const freed = (): void => {
    room.offer(freeForFirst());
    if (size > 0 || promised > 0) return;
    waiting.forEach((resolve) => resolve());
    waiting = [];
  };
  const free = (): number => Math.max(0, options.total - size - promised);
  const kept = Math.floor(options.total * SHARE_OF_RETRIES);
  const freeForFirst = (): number => Math.max(0, free() - kept);

  return {
    inFlight,
    free,
    freeForFirst,
    promise: (count) => void (promised += count),
    redeem(count) {
      promised -= count;
      freed();
    },
    occupy({ endpoint: { subscriptionId } }, work) {
      change(subscriptionId, 1);
      void work.finally(() => {
        change(subscriptionId, -1);
        options.onFreed(subscriptionId);
        freed();
      });
    },
    size: () => size,
    roomForFirst(count, atMostMs) {
      const wanted = Math.min(count, options.total - kept);
      return freeForFirst() >= wanted ? Promise.resolve() : room.wait(wanted, atMostMs);
    },
    idle: () =>
      size === 0 && promised === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
  };
}

/** Those who wait for room, each for so much and for so long. */
function createRoomQueue() {
  const waiting = new Set<{ readonly count: number; readonly finish: () => void }>();
  return {
    offer(free: number): void {
      for (const { count, finish } of waiting) if (free >= count) finish();
    },
    wait: (count: number, atMostMs: number): Promise<void> =>
      new Promise((resolve) => {
        const finish = (): void => {
          clearTimeout(timer);
          waiting.delete(one);
          resolve();
        };
        const one = { count, finish };
        const timer = setTimeout(finish, atMostMs);
        waiting.add(one);
      }),
  };
}
