import { GROUP_LIMIT, SlotStoreRefusedError } from '@sluice/rate-window';
import { createGroupCommit } from './group-commit.js';
import type { ActiveConfigs, Observer, RateConfig, SlotAnswer, SlotRequest, SlotStore } from './ports.js';

export interface QueueLimits {
  /** Events that may wait or be in a round trip, of all callers and of one. */
  readonly events: number;
  readonly eventsOfCaller: number;
  readonly waitMs: number;
}

interface Options {
  readonly configs: ActiveConfigs;
  readonly slots: Pick<SlotStore, 'assign'>;
  readonly limits: QueueLimits;
  readonly observer: Observer;
}

export type Assignment =
  | { readonly kind: 'answered'; readonly config: RateConfig; readonly answers: readonly SlotAnswer[] }
  | { readonly kind: 'unknown-config' }
  /** Too many events wait or have waited too long, or the config changes faster than events can be placed under it. */
  | { readonly kind: 'overloaded' }
  /** Too many events of this caller wait. */
  | { readonly kind: 'caller-overloaded' };

export interface Wish {
  readonly configName: string;
  readonly caller: string;
  readonly requests: readonly SlotRequest[];
}

export type AssignSlots = (wish: Wish, signal: AbortSignal) => Promise<Assignment>;

/** Each try sees a newer version; more changes than this during one assignment are not normal. */
const MAX_VERSIONS_TRIED = 5;

/** Gives events their slots; requests that come at the same time share a round trip to the store. */
export function createAssignSlots(options: Options): AssignSlots {
  const { configs, limits, observer } = options;
  const group = createGroupCommit<SlotRequest, SlotAnswer>({
    maxGroup: GROUP_LIMIT,
    maxQueued: limits.events,
    maxQueuedOfCaller: limits.eventsOfCaller,
    maxWaitMs: limits.waitMs,
    now: () => performance.now(),
    commit: createPlaceGroup(options),
    isFaultOfItems: (error) => error instanceof SlotStoreRefusedError,
    onQueued: (events) => observer.queued(events),
  });

  const assign: AssignSlots = async ({ configName, caller, requests }, signal) => {
    const config = await configs.find(configName);
    if (config === undefined) return { kind: 'unknown-config' };
    try {
      const submission = await group.submit({ lane: configName, caller, items: requests }, signal);
      if (submission.kind !== 'committed') return submission;
      return { kind: 'answered', config, answers: submission.results };
    } catch (error) {
      if (error instanceof UnsettledConfig) return { kind: 'overloaded' };
      throw error;
    }
  };

  return async (wish, signal) => {
    const startedAt = performance.now();
    try {
      const assignment = await assign(wish, signal);
      report(assignment, wish.requests.length, observer);
      return assignment;
    } catch (error) {
      observer.answered(signal.aborted ? 'abandoned' : 'failed', wish.requests.length);
      throw error;
    } finally {
      observer.took((performance.now() - startedAt) / 1_000);
    }
  };
}

/** Thrown inside a group, to all of its requests. */
class UnsettledConfig extends Error {}

/** Places a group under the active version, whichever that is by then. */
function createPlaceGroup({ configs, slots, observer }: Options) {
  return async (configName: string, requests: readonly SlotRequest[]): Promise<readonly SlotAnswer[]> => {
    for (let tried = 0; tried < MAX_VERSIONS_TRIED; tried += 1) {
      const config = await configs.find(configName);
      if (config === undefined) break;
      const startedAt = performance.now();
      const outcome = await slots.assign(config, requests);
      if (outcome.kind === 'answered') {
        const { answers, windowsSearched } = outcome;
        const seconds = (performance.now() - startedAt) / 1_000;
        observer.grouped({ events: requests.length, seconds, windowsSearched });
        return answers;
      }
      observer.staleConfigUsed();
      configs.forget(configName);
    }
    throw new UnsettledConfig();
  };
}

function report(assignment: Assignment, count: number, observer: Observer): void {
  if (assignment.kind === 'unknown-config') return observer.answered('unknown_config', count);
  if (assignment.kind === 'overloaded') return observer.answered('overloaded', count);
  if (assignment.kind === 'caller-overloaded') return observer.answered('caller_overloaded', count);
  const counts = new Map<SlotAnswer['kind'], number>();
  for (const { kind } of assignment.answers) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const [kind, found] of counts) observer.answered(kind, found);
}
