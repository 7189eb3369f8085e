/// <reference types="jest" />
import fc from 'fast-check';
import type { Slot } from '../ports.js';
import { assignAll, newConfig } from './harness.js';
import { play } from './history.js';
import type { PropertyHarness } from './history.js';
import * as laws from './laws.js';
import { createMemoryStore, createSharedMemory } from './memory-store.js';
import { WINDOW, scenarios } from './scenario.js';
import type { Scenario, Step } from './scenario.js';

/** The laws of slot assignment, tried with scenarios made at random. */
export function describeSlotProperties(
  current: () => PropertyHarness,
  { runs }: { readonly runs: number },
): void {
  const always = (law: (moments: Awaited<ReturnType<typeof play>>) => void) =>
    fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => law(await play(current(), scenario))),
      { numRuns: runs },
    );

  describe('whatever happens', () => {
    it('P1: no window holds more than the capacity in force', () => always(laws.capacity));
    it('P2: an event has one slot, and a repeat returns it', () => always(laws.oneSlotAnEvent));
    it('P3: no slot lies too early, and late comers get a share', () => always(laws.neverEarly));
    it('P4: no window with room is passed by', () => always(laws.workConserving));
    it('P5: any span holds at most its even share plus one slot', () => always(laws.evenSpread));
    it('P6: a refusal leaves no trace', () => always(laws.refusalsLeaveNoTrace));
    it('P8: a change of capacity moves nothing', () => always(laws.changesMoveNothing));
    it('P10: nobody overtakes within a group', () => always(laws.monotone));
    it('P11: every request is answered, and the counters add up', () => always(laws.conservation));

    it('P7: the slots are those of the plainest walk over all windows', () =>
      fc.assert(
        fc.asyncProperty(scenarios, async (scenario) => {
          const oneByOne = inTurn(scenario);
          const memory = createSharedMemory();
          const model = {
            open: (clock = systemClock) => createMemoryStore(clock, memory),
            close: async () => {},
          };
          const [expected, found] = [await play(model, oneByOne), await play(current(), oneByOne)];
          const kept = (moments: typeof found) =>
            moments.map(({ answers, slots, windows }) => ({ answers, slots, windows }));
          expect(kept(found)).toEqual(kept(expected));
        }),
        { numRuns: runs },
      ));

    it('P9: a group gets what its events get one by one, in the order of their times', () =>
      fc.assert(
        fc.asyncProperty(scenarios, async ({ maxPerWindow, calendar, steps }) => {
          const store = current().open();
          const limits = { maxPerWindow, calendar, windowSizeMs: WINDOW, maxDelayMs: 600_000 };
          const [together, apart] = [await newConfig(store, limits), await newConfig(store, limits)];
          const requests = steps.flatMap((step) => (step.kind === 'assign' ? step.groups.flat() : []));
          const distinct = [...new Map(requests.map((request) => [request.eventId, request])).values()];
          const byTime = distinct.toSorted((a, b) => a.requestedTime.getTime() - b.requestedTime.getTime());
          const group = await assignAll(store, together, distinct);
          const single: Slot[] = [];
          for (const request of byTime) single.push(...(await assignAll(store, apart, [request])));
          const sorted = (slots: typeof group) => slots.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1));
          expect(sorted(group)).toEqual(sorted(single));
        }),
        { numRuns: Math.ceil(runs / 2) },
      ));
  });
}

const systemClock = { now: () => new Date() };

/** The scenario with one group at a time, so that there is one right answer. */
function inTurn(scenario: Scenario): Scenario {
  const steps = scenario.steps.flatMap((step): Step[] =>
    step.kind === 'assign' ? step.groups.map((group) => ({ kind: 'assign', groups: [group] })) : [step],
  );
  return { ...scenario, steps };
}
