// What may happen to a slot store, at random: groups from several nodes at once, repeats, slots given back, changes of
// capacity, clocks that go forth and back, and nodes that die.
import fc from 'fast-check';
import type { CalendarRules } from '../calendar-rules.js';
import type { SlotRequest } from '../ports.js';
import { NOON } from './harness.js';

export const WINDOW = 1_000;

export type Step =
  /** Groups that are under way at the same time, each on a node of its own. */
  | { readonly kind: 'assign'; readonly groups: readonly (readonly SlotRequest[])[] }
  /** The group is placed, and the node dies before its caller hears of it. */
  | { readonly kind: 'lose-answer'; readonly requests: readonly SlotRequest[] }
  /** The node dies with its transaction open. */
  | { readonly kind: 'crash'; readonly requests: readonly SlotRequest[] }
  | { readonly kind: 'release'; readonly eventId: string }
  | { readonly kind: 'capacity'; readonly maxPerWindow: number }
  | { readonly kind: 'tick'; readonly ms: number };

export interface Scenario {
  readonly maxPerWindow: number;
  readonly maxDelayMs: number;
  readonly calendar: CalendarRules | null;
  readonly steps: readonly Step[];
}

const eventIds = fc.integer({ min: 0, max: 80 }).map((id) => `event-${id}`);

/** Most callers want the same instant; some come in the middle of a window, some too late. */
const requests = fc.record({
  eventId: eventIds,
  requestedTime: fc
    .oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.integer({ min: -2_000, max: 4_000 }) },
    )
    .map((ms) => new Date(NOON + ms)),
});
const groups = fc.array(requests, { minLength: 1, maxLength: 25 });

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('assign' as const),
      groups: fc.array(groups, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose-answer' as const), requests: groups }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const), requests: groups }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), eventId: eventIds }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('capacity' as const),
      maxPerWindow: fc.integer({ min: 1, max: 12 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('tick' as const), ms: fc.integer({ min: -500, max: 1_500 }) }),
  },
);

const calendars: fc.Arbitrary<CalendarRules | null> = fc.option(
  fc
    .record({ from: fc.integer({ min: 0, max: 4_000 }), length: fc.integer({ min: 1, max: 3_000 }) })
    .map(({ from, length }) => ({
      timeZone: 'UTC',
      blackouts: [
        { from: new Date(NOON + from).toISOString(), until: new Date(NOON + from + length).toISOString() },
      ],
    })),
  { freq: 3 },
);

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  maxPerWindow: fc.integer({ min: 1, max: 12 }),
  maxDelayMs: fc.integer({ min: 0, max: 9_000 }),
  calendar: calendars,
  steps: fc.array(steps, { minLength: 1, maxLength: 10 }),
});

/** Several nodes with many events for one instant, again and again: where a missing lock shows first. */
export const stampedes: fc.Arbitrary<Scenario> = fc.record({
  maxPerWindow: fc.integer({ min: 2, max: 6 }),
  maxDelayMs: fc.constant(60_000),
  calendar: fc.constant(null),
  steps: fc.array(
    fc.record({
      kind: fc.constant('assign' as const),
      groups: fc.array(
        fc
          .uniqueArray(eventIds, { minLength: 5, maxLength: 10 })
          .map((ids) => ids.map((eventId) => ({ eventId, requestedTime: new Date(NOON) }))),
        { minLength: 3, maxLength: 4 },
      ),
    }),
    { minLength: 3, maxLength: 4 },
  ),
});
