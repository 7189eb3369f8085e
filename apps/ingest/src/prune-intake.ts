import type { Clock } from '@sluice/service-kit';
import type { Retention } from './ports.js';

interface Parts {
  readonly clock: Clock;
  readonly keepDays: number;
  readonly stores: readonly Retention[];
}

const batch = 1000;

/** Removes what the intake need not remember any more. True when there is more to do at once. */
export function createPruneIntake({ clock, keepDays, stores }: Parts): () => Promise<boolean> {
  return async () => {
    const olderThan = new Date(clock.now().getTime() - keepDays * 86_400_000);
    let more = false;
    for (const store of stores) more = (await store.prune(olderThan, batch)) === batch || more;
    return more;
  };
}
