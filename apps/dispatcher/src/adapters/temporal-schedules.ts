import { ScheduleAlreadyRunning, ScheduleNotFoundError, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Client, ScheduleDescription } from '@temporalio/client';
import type { DispatchSchedules, SchedulePlan } from '../ports.js';
import { meansUnreachable, readGrpcFailure } from './grpc-status.js';

const workflowType = 'DispatcherWorkflow';
// The least that Temporal takes; the default is a year, and a late tick is worth nothing.
const catchupWindowMs = 10_000;
const deadlineMs = 10_000;

export function createTemporalSchedules(client: Client): DispatchSchedules {
  const inTime = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + deadlineMs, call);
  return {
    async ensure(plan) {
      const handle = client.schedule.getHandle(plan.scheduleId);
      const found = await inTime(() => handle.describe()).catch(notFoundAsNull);
      if (found && agrees(found, plan)) return 'unchanged';
      if (!found) {
        const created = await inTime(() =>
          client.schedule.create({ scheduleId: plan.scheduleId, ...definition(plan) }),
        ).catch(alreadyThereAsNull);
        if (created) return 'created';
      }
      await inTime(() => handle.update((previous) => ({ ...definition(plan), state: previous.state })));
      return 'updated';
    },
    async trigger(scheduleId) {
      const handle = client.schedule.getHandle(scheduleId);
      try {
        const found = await inTime(() => handle.describe());
        if (found.info.runningActions.length > 0) return 'running';
        // Its default would let the new cycle run beside one that began a moment ago.
        await inTime(() => handle.trigger(ScheduleOverlapPolicy.SKIP));
        return 'triggered';
      } catch (error) {
        if (error instanceof ScheduleNotFoundError) return 'no_schedule';
        if (meansUnreachable(readGrpcFailure(error).status)) return 'unreachable';
        throw error;
      }
    },
  };
}

function definition(plan: SchedulePlan) {
  return {
    spec: { intervals: [{ every: plan.intervalSecs * 1000 }] },
    action: {
      type: 'startWorkflow' as const,
      workflowType,
      workflowId: plan.scheduleId,
      taskQueue: plan.taskQueue,
      args: [plan.itemType],
      workflowRunTimeout: plan.runTimeoutSecs * 1000,
    },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: catchupWindowMs },
  };
}

function agrees(found: ScheduleDescription, plan: SchedulePlan): boolean {
  const { action, policies, spec } = found;
  return (
    spec.intervals?.length === 1 &&
    spec.intervals[0]?.every === plan.intervalSecs * 1000 &&
    action.workflowType === workflowType &&
    action.taskQueue === plan.taskQueue &&
    action.args?.[0] === plan.itemType &&
    action.workflowRunTimeout === plan.runTimeoutSecs * 1000 &&
    policies.overlap === ScheduleOverlapPolicy.SKIP &&
    policies.catchupWindow === catchupWindowMs
  );
}

function notFoundAsNull(error: unknown): null {
  if (error instanceof ScheduleNotFoundError) return null;
  throw error;
}

function alreadyThereAsNull(error: unknown): null {
  if (error instanceof ScheduleAlreadyRunning) return null;
  throw error;
}
