// Runs a scenario on a store and writes down what came of it.
import type { RateConfig, Slot, SlotAnswer, SlotRequest, WindowFill } from '../ports.js';
import { NOON, activate, newDraft } from './harness.js';
import type { SlotStoreHarness } from './harness.js';
import { WINDOW } from './scenario.js';
import type { Scenario, Step } from './scenario.js';

export interface Answered {
  readonly request: SlotRequest;
  /** The requested time, or the present for one that was past. */
  readonly from: number;
  readonly answer: SlotAnswer;
}

/** One step, and the state that it left. */
export interface Moment {
  readonly step: Step;
  readonly config: RateConfig;
  /** What each group was answered, in the order of its requests. */
  readonly answers: readonly (readonly Answered[])[];
  readonly slots: ReadonlyMap<string, Slot>;
  readonly windows: readonly WindowFill[];
}

/** What a store under test can do beside its port. */
export interface PropertyHarness extends SlotStoreHarness {
  /** All slots of a config, where there is a quicker way than to ask for each event. */
  allSlots?(configName: string): Promise<readonly Slot[]>;
  /** Places a group in a transaction that is never committed. */
  crash?(config: RateConfig, requests: readonly SlotRequest[], clock: { now(): Date }): Promise<void>;
}

export async function play(harness: PropertyHarness, scenario: Scenario): Promise<Moment[]> {
  const clock = { at: NOON - 1_000, now: () => new Date(clock.at) };
  const { maxPerWindow, maxDelayMs, calendar } = scenario;
  const draft = newDraft({ maxPerWindow, maxDelayMs, calendar, windowSizeMs: WINDOW });
  // Beyond the reach of a blackout, so that the calendar always leaves something open.
  let config = await activate(harness.open({ now: () => new Date(NOON + 60_000) }), draft);
  const store = harness.open(clock);
  const events = new Set<string>();
  const moments: Moment[] = [];

  const assign = async (requests: readonly SlotRequest[]): Promise<Answered[]> => {
    for (const { eventId } of requests) events.add(eventId);
    const outcome = await harness.open(clock).assign(config, requests);
    if (outcome.kind !== 'answered') throw new Error('nobody else changes this config');
    return outcome.answers.map((answer, index) => {
      const request = requests[index];
      if (request === undefined) throw new Error('more answers than requests');
      return { request, answer, from: Math.max(request.requestedTime.getTime(), clock.at) };
    });
  };

  const allSlots = async (): Promise<readonly Slot[]> => {
    if (harness.allSlots !== undefined) return harness.allSlots(config.configName);
    const found = await Promise.all([...events].map((eventId) => store.find(config.configName, eventId)));
    return found.filter((slot) => slot !== undefined);
  };

  const perform = async (step: Step): Promise<Answered[][]> => {
    if (step.kind === 'assign') return Promise.all(step.groups.map(assign));
    if (step.kind === 'lose-answer') await assign(step.requests);
    if (step.kind === 'crash') await harness.crash?.(config, step.requests, clock);
    if (step.kind === 'release') await store.release(config.configName, step.eventId);
    if (step.kind === 'tick') clock.at += step.ms;
    if (step.kind === 'capacity' && step.maxPerWindow !== config.maxPerWindow) {
      const outcome = await store.activate({ ...config, maxPerWindow: step.maxPerWindow }, 'properties');
      if (outcome.kind === 'activated') ({ config } = outcome);
    }
    return [];
  };

  for (const step of scenario.steps) {
    const answers = await perform(step);
    const slots = new Map((await allSlots()).map((slot) => [slot.eventId, slot]));
    const range = { from: new Date(NOON - 60_000), until: new Date(NOON + 120_000), limit: 1_000 };
    const { windows } = await store.listWindows(config, range);
    moments.push({ step, config, answers, slots, windows });
  }
  return moments;
}
