import type { DispatchQueue } from '@sluice/queue-core';
import type { DispatchSchedules } from './ports.js';
import { scheduleIdOf } from './reconcile-schedules.js';

export interface TriggerParts {
  readonly queue: Pick<DispatchQueue, 'readConfig' | 'recordAction'>;
  readonly schedules: Pick<DispatchSchedules, 'trigger'>;
  readonly schedulePrefix: string;
}

export type TriggerOutcome =
  | { readonly kind: 'triggered'; readonly scheduleId: string }
  | { readonly kind: 'unknown' | 'paused' | 'running' | 'no_schedule' | 'unreachable' };

/** Asks for a cycle before its time. The wish is written down first, so that none is carried out without a trace. */
export async function triggerCycle(
  { queue, schedules, schedulePrefix }: TriggerParts,
  wish: { readonly itemType: string; readonly reason: string; readonly by: string },
): Promise<TriggerOutcome> {
  const row = await queue.readConfig(wish.itemType);
  if (!row) return { kind: 'unknown' };
  if (!row.config.enabled) return { kind: 'paused' };
  await queue.recordAction({ ...wish, action: 'CYCLE_REQUESTED' });
  const scheduleId = scheduleIdOf(schedulePrefix, wish.itemType);
  const kind = await schedules.trigger(scheduleId);
  return kind === 'triggered' ? { kind, scheduleId } : { kind };
}
