import type { Stack } from '@sluice/local';

/** The same for all contenders, and as in the example of the rate limiter that ours replaces: 100 events every 4 s. */
export const rateLimit = { maxPerWindow: 100, windowSizeMs: 4_000 };
export const callers = 64;
/** As many as that rate limiter has at most; every contender that connects by itself gets them. */
export const connections = 30;

/** Far ahead and on the edge of a window, so that no slot is ever in the past and every window is whole. */
export const instant = new Date('2035-06-01T16:00:00Z');

export interface Server {
  readonly stack: Stack;
  readonly url: string;
  readonly repository: string;
}

/** Something that gives events slots: each event one, at most so many a window, and on disk when it is answered. */
export interface Contender {
  readonly name: string;
  /** Of the events of the part, so many hundredths: what takes events one by one would take all day. */
  readonly percent: number;
  /** On a store of its own, which is empty. */
  open(server: Server, name: string): Promise<OpenContender>;
}

export interface OpenContender {
  /** Places all events; says how many were refused. */
  place(eventIds: readonly string[]): Promise<{ readonly refused: number }>;
  /** Slots of every window, by time, read from the store itself. */
  fill(): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Runs the work on all items, so many at once. */
export async function inLanes<T>(
  lanes: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

export function eventIdsOf(count: number, prefix: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

export function inBatches<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}
