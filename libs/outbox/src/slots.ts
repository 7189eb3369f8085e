import type { Destination } from './destination.js';
import type { Pace } from './pace.js';
import type { ClaimLimits } from './ports.js';

export interface Wanted {
  readonly railTypes: readonly string[];
  readonly limit: number;
  readonly limits: Readonly<Record<string, ClaimLimits>>;
}

export interface Slots {
  /** what may be claimed now; undefined when nothing may */
  wanted(): Wanted | undefined;
  /** a run of this rail type is being sent, until the answer is called */
  take(railType: string): () => void;
}

export interface SlotOptions {
  readonly destinations: Readonly<Record<string, Destination>>;
  readonly concurrency: number;
  readonly concurrencyByRailType: Readonly<Record<string, number>>;
  readonly paces: ReadonlyMap<string, Pace>;
}

/** Places for runs in the air: in all, by rail type, and as many as the destination would take. */
export function createSlots(options: SlotOptions): Slots {
  const { destinations, concurrency, concurrencyByRailType, paces } = options;
  const taken = new Map(Object.keys(destinations).map((railType) => [railType, 0]));
  let takenInAll = 0;

  function limitsOf(railType: string, free: number): ClaimLimits {
    const destination = destinations[railType];
    const capacity = destination?.capacity?.() ?? Infinity;
    const cap = (concurrencyByRailType[railType] ?? concurrency) - (taken.get(railType) ?? 0);
    const participants = Math.max(0, Math.floor(Math.min(free, cap, capacity)));
    const canTellTwice = destination?.recognisesKeys === true || destination?.status !== undefined;
    // Without keys or status everything of a run would be in doubt after a crash; and probes are sent one by one.
    const oneByOne = !canTellTwice || capacity !== Infinity;
    return { participants, runLength: oneByOne ? 1 : (paces.get(railType)?.runLength() ?? 1) };
  }

  return {
    wanted() {
      const free = concurrency - takenInAll;
      if (free < 1) return undefined;
      const open = [...taken.keys()]
        .map((railType) => [railType, limitsOf(railType, free)] as const)
        .filter(([, { participants }]) => participants > 0);
      if (open.length === 0) return undefined;
      const limit = Math.min(
        free,
        open.reduce((sum, [, { participants }]) => sum + participants, 0),
      );
      return { railTypes: open.map(([railType]) => railType), limit, limits: Object.fromEntries(open) };
    },
    take(railType) {
      taken.set(railType, (taken.get(railType) ?? 0) + 1);
      takenInAll += 1;
      return () => {
        taken.set(railType, (taken.get(railType) ?? 0) - 1);
        takenInAll -= 1;
      };
    },
  };
}
