import { z } from 'zod';

/**
 * What a simulator was told to do, in memory only: a restarted simulator behaves well until it is told otherwise.
 * Entries belong to a scope, so that tests which share a simulator do not take away each other's entries.
 */
export interface ControlList<Entry> {
  all(scope?: string): Entry[];
  replace(scope: string, entries: readonly Entry[]): void;
  clear(scope?: string): void;
  /** The first matching entry that has not yet fired `times` times for this subject; counts it as fired. */
  take(matches: (entry: Entry) => boolean, subject: string): Entry | undefined;
}

interface Armed<Entry> {
  readonly scope: string;
  readonly entry: Entry;
  readonly fired: Map<string, number>;
}

export function createControlList<Entry extends { readonly times?: number | undefined }>(
  order: (a: Entry, b: Entry) => number = () => 0,
): ControlList<Entry> {
  let armed: Armed<Entry>[] = [];

  function isLeft({ entry, fired }: Armed<Entry>, subject: string): boolean {
    if (entry.times === undefined) return true;
    const count = fired.get(subject) ?? 0;
    if (count >= entry.times) return false;
    fired.set(subject, count + 1);
    return true;
  }

  function clear(scope?: string): void {
    armed = scope === undefined ? [] : armed.filter((one) => one.scope !== scope);
  }

  return {
    all: (scope) => armed.filter((one) => scope === undefined || one.scope === scope).map((one) => one.entry),
    replace(scope, entries) {
      clear(scope);
      const added = entries.map((entry) => ({ scope, entry, fired: new Map<string, number>() }));
      armed = [...armed, ...added].sort((a, b) => order(a.entry, b.entry));
    },
    clear,
    take: (matches, subject) => armed.find((one) => matches(one.entry) && isLeft(one, subject))?.entry,
  };
}

/** Fields that every kind of entry has. */
export const controlFields = {
  delayMs: z.int().min(0).max(600_000).optional(),
  times: z.int().min(1).optional(),
};
