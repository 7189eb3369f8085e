import { WorkflowNotFoundError } from '@temporalio/client';
import { execWorkflowId } from '@sluice/queue-core';
import { statuses } from './subject.js';
import type { Subject } from './subject.js';
import { until } from './until.js';

export const execIdOf = ({ itemType }: Subject, itemId: string): string => execWorkflowId(itemType, itemId);

/** The run of an exec workflow by Temporal's own word, or undefined when it was never started. */
export async function runOf(
  subject: Subject,
  itemId: string,
): Promise<{ runId: string; isOver: boolean } | undefined> {
  const { workflow } = subject.rig.temporal.client;
  try {
    const { runId, status } = await workflow.getHandle(execIdOf(subject, itemId)).describe();
    return { runId, isOver: status.name !== 'RUNNING' };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** The run ids of each workflow id that Temporal ever saw of the item type. The list lags a little behind the starts. */
export async function listRuns(subject: Subject): Promise<Map<string, string[]>> {
  const query = `WorkflowId STARTS_WITH '${execIdOf(subject, '')}'`;
  // By run id: a run whose status changes meanwhile may be on two pages.
  const workflowIds = new Map<string, string>();
  for await (const run of subject.rig.temporal.client.workflow.list({ query, pageSize: 1_000 })) {
    workflowIds.set(run.runId, run.workflowId);
  }
  const runIds = new Map<string, string[]>();
  for (const [runId, workflowId] of workflowIds) {
    runIds.set(workflowId, [...(runIds.get(workflowId) ?? []), runId]);
  }
  return runIds;
}

/** Ends the cycle of a killed dispatcher, as Temporal itself does when its heartbeats have been missing for a minute. */
export async function endOrphanedCycle({ rig, itemType }: Subject): Promise<void> {
  const { schedule, workflow } = rig.temporal.client;
  const { info } = await schedule.getHandle(`${rig.name}-${itemType.toLowerCase()}`).describe();
  for (const action of info.runningActions) {
    await workflow.getHandle(action.workflow.workflowId).terminate('its dispatcher was killed');
  }
}

/**
 * Waits until each item is DISPATCHED and was executed, and tells in sentences where an item was not started exactly
 * once: by Temporal's list of runs, and by what the exec worker was given.
 */
export async function findUnevenStarts(
  subject: Subject,
  itemIds: readonly string[],
  withinMs?: number,
): Promise<string[]> {
  const { itemType, rig } = subject;
  const ids = itemIds.map((itemId) => execIdOf(subject, itemId));
  const executed = (id: string) => rig.exec?.runsOf(id) ?? [];
  const areExecuted = () => !rig.exec || ids.every((id) => executed(id).length > 0);
  const areDispatched = async () => ((await statuses(subject)).DISPATCHED ?? 0) >= ids.length;
  await until(`all ${itemType} are dispatched`, areDispatched, withinMs);
  await until(`all ${itemType} are executed`, areExecuted, withinMs);
  await until(`all ${itemType} are listed`, async () => (await listRuns(subject)).size >= ids.length);
  const listed = await listRuns(subject);
  const asked = new Set(ids);
  return [...new Set([...ids, ...listed.keys()])].flatMap((id) => {
    const runs = listed.get(id) ?? [];
    if (!asked.has(id)) return [`${id} was started and never asked for`];
    if (runs.length !== 1) return [`${id} has ${runs.length} runs`];
    const others = executed(id).filter((runId) => runId !== runs[0]);
    return others.length > 0 ? [`of ${id} another run was executed`] : [];
  });
}
