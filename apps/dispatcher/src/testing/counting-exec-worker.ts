import { Connection } from '@temporalio/client';

const COMPLETE_WORKFLOW_EXECUTION = 4;
const pollers = 4;
// The server holds a poll open for a minute.
const pollMs = 70_000;
const answerMs = 10_000;

export interface CountingExecWorker {
  /** The runs of a workflow id that were executed: one for each item, or something was done twice. */
  runsOf(workflowId: string): readonly string[];
  stop(): Promise<void>;
}

type Place = { readonly address: string; readonly namespace: string; readonly taskQueue: string };
type Executed = (workflowId: string, runId: string) => void;

/** The least that executes workflows: it answers the first task of each run by completing it, and counts the runs. */
export function startCountingExecWorker(place: Place): CountingExecWorker {
  // Without the usual repetition of calls, which would go on after the stop.
  const connection = Connection.lazy({ address: place.address, interceptors: [] });
  const stopped = new AbortController();
  const runs = new Map<string, Set<string>>();
  const count: Executed = (workflowId, runId) => {
    runs.set(workflowId, (runs.get(workflowId) ?? new Set()).add(runId));
  };
  const work = async () => {
    while (!stopped.signal.aborted) {
      const next = () => executeNext(connection, place, count);
      // A poll that fails is followed by another: what it would have brought is still there.
      await connection.withAbortSignal(stopped.signal, next).catch(() => undefined);
    }
  };
  const working = Promise.all(Array.from({ length: pollers }, work));
  return {
    runsOf: (workflowId) => [...(runs.get(workflowId) ?? [])],
    async stop() {
      stopped.abort();
      await working;
      await connection.close();
    },
  };
}

async function executeNext(connection: Connection, place: Place, count: Executed): Promise<void> {
  const { namespace, taskQueue } = place;
  const { workflowService } = connection;
  const task = await connection.withDeadline(Date.now() + pollMs, () =>
    workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: taskQueue } }),
  );
  if (task.taskToken.length === 0) return;
  count(task.workflowExecution?.workflowId ?? '', task.workflowExecution?.runId ?? '');
  await connection.withDeadline(Date.now() + answerMs, () =>
    workflowService.respondWorkflowTaskCompleted({
      namespace,
      taskToken: task.taskToken,
      commands: [
        { commandType: COMPLETE_WORKFLOW_EXECUTION, completeWorkflowExecutionCommandAttributes: {} },
      ],
    }),
  );
}
