/** Why a cycle ended. */
export type CycleEnd =
  /** The whole budget was used. */
  | 'budget_used'
  /** Nothing more was due. */
  | 'drained'
  /** The kill switch is on, or the item type has no config. */
  | 'switched_off'
  /** The interval is nearly over; the next cycle goes on. */
  | 'out_of_time'
  /** Temporal did not answer. */
  | 'unreachable'
  /** The worker shuts down, or the activity was cancelled. */
  | 'cancelled';

/** All that crosses workflow history of a cycle: never an item, never a context. */
export interface CycleCounts {
  readonly claimed: number;
  readonly started: number;
  readonly alreadyStarted: number;
  /** Starts that failed and count as a retry. */
  readonly failed: number;
  /** Given back without counting a retry. */
  readonly released: number;
  readonly reclaimed: number;
  readonly exhausted: number;
  /** Items whose claim was taken over before they could be settled. */
  readonly fenced: number;
  readonly end: CycleEnd;
}

export type Tally = { -readonly [K in Exclude<keyof CycleCounts, 'end'>]: number };

export function emptyTally(): Tally {
  return {
    claimed: 0,
    started: 0,
    alreadyStarted: 0,
    failed: 0,
    released: 0,
    reclaimed: 0,
    exhausted: 0,
    fenced: 0,
  };
}

export function addTally(total: Tally, part: Tally): Tally {
  return {
    claimed: total.claimed + part.claimed,
    started: total.started + part.started,
    alreadyStarted: total.alreadyStarted + part.alreadyStarted,
    failed: total.failed + part.failed,
    released: total.released + part.released,
    reclaimed: total.reclaimed + part.reclaimed,
    exhausted: total.exhausted + part.exhausted,
    fenced: total.fenced + part.fenced,
  };
}
