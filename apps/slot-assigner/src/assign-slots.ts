import { GROUP_LIMIT } from '@sluice/rate-window';
import { createGroupCommit } from './group-commit.js';
import type { ActiveConfigs, Observer, RateConfig, SlotAnswer, SlotRequest, SlotStore } from './ports.js';

interface Options {
  readonly configs: ActiveConfigs;
  readonly slots: Pick<SlotStore, 'assign'>;
  readonly queueLimit: number;
  readonly observer: Observer;
}

export type Assignment =
  | { readonly kind: 'answered'; readonly config: RateConfig; readonly answers: readonly SlotAnswer[] }
  | { readonly kind: 'unknown-config' }
  /** Too many events are waiting, or the config changes faster than events can be placed under it. */
  | { readonly kind: 'overloaded' };

export type AssignSlots = (
  configName: string,
  requests: readonly SlotRequest[],
  signal: AbortSignal,
) => Promise<Assignment>;

/** Each try sees a newer version; more changes than this during one assignment are not normal. */
const MAX_VERSIONS_TRIED = 5;

/** Gives events their slots; requests that come at the same time share a round trip to the store. */
export function createAssignSlots({ configs, slots, queueLimit, observer }: Options): AssignSlots {
  const commit = async (
    configName: string,
    requests: readonly SlotRequest[],
  ): Promise<readonly SlotAnswer[]> => {
    for (let tried = 0; tried < MAX_VERSIONS_TRIED; tried += 1) {
      const config = await configs.find(configName);
      if (config === undefined) break;
      const startedAt = performance.now();
      const outcome = await slots.assign(config, requests);
      observer.grouped({ events: requests.length, seconds: (performance.now() - startedAt) / 1_000 });
      if (outcome.kind === 'answered') return outcome.answers;
      configs.forget(configName);
    }
    throw new UnsettledConfig();
  };
  const group = createGroupCommit({
    maxGroup: GROUP_LIMIT,
    maxQueued: queueLimit,
    commit,
    onQueued: (events) => observer.queued(events),
  });

  const assign: AssignSlots = async (configName, requests, signal) => {
    const config = await configs.find(configName);
    if (config === undefined) return { kind: 'unknown-config' };
    try {
      const submission = await group.submit(configName, requests, signal);
      if (submission.kind === 'overloaded') return submission;
      return { kind: 'answered', config, answers: submission.results };
    } catch (error) {
      if (error instanceof UnsettledConfig) return { kind: 'overloaded' };
      throw error;
    }
  };

  return async (configName, requests, signal) => {
    try {
      const assignment = await assign(configName, requests, signal);
      report(assignment, requests.length, observer);
      return assignment;
    } catch (error) {
      observer.answered('failed', requests.length);
      throw error;
    }
  };
}

/** Thrown inside a group, to all of its requests. */
class UnsettledConfig extends Error {}

function report(assignment: Assignment, count: number, observer: Observer): void {
  if (assignment.kind === 'unknown-config') return observer.answered('unknown_config', count);
  if (assignment.kind === 'overloaded') return observer.answered('overloaded', count);
  for (const kind of ['assigned', 'existing', 'exhausted'] as const) {
    const found = assignment.answers.filter((answer) => answer.kind === kind).length;
    if (found > 0) observer.answered(kind, found);
  }
}
