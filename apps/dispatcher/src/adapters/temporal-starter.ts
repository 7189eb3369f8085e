import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client';
import type { ExecStarter, StartOutcome, StartRequest } from '../ports.js';
import { meansUnreachable, readGrpcFailure, RESOURCE_EXHAUSTED } from './grpc-status.js';

const probeLimitMs = 2_000;

export interface StarterOptions {
  readonly address: string;
  readonly namespace: string;
  /** The longest that one start may take, repetitions by the client included. */
  readonly deadlineMs: number;
}

/** A connection of its own: the usual one hides throttling behind ten silent attempts, and this one has to hear it. */
export function connectExecStarter(options: StarterOptions): ExecStarter & { close(): Promise<void> } {
  const { delayFunction, retryableDecider } = defaultGrpcRetryOptions();
  const connection = Connection.lazy({
    address: options.address,
    interceptors: [
      makeGrpcRetryInterceptor({
        delayFunction,
        retryableDecider: (attempt, status) =>
          (status.code as number) !== RESOURCE_EXHAUSTED && retryableDecider(attempt, status),
      }),
    ],
  });
  const client = new Client({ connection, namespace: options.namespace });
  return {
    start: (request) => startWorkflow(client, request, options.deadlineMs),
    isReachable: () =>
      connection
        .withDeadline(Date.now() + probeLimitMs, () =>
          connection.workflowService.describeNamespace({ namespace: options.namespace }),
        )
        .then(
          () => true,
          (error: unknown) => !meansUnreachable(readGrpcFailure(error).status),
        ),
    close: () => connection.close(),
  };
}

async function startWorkflow(
  client: Client,
  request: StartRequest,
  deadlineMs: number,
): Promise<StartOutcome> {
  try {
    await client.withDeadline(Date.now() + deadlineMs, () =>
      client.workflow.start(request.workflowType, {
        workflowId: request.workflowId,
        taskQueue: request.taskQueue,
        args: [...request.args],
        // The defaults would start an item again whose workflow has completed.
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        workflowIdConflictPolicy: 'FAIL',
        ...(request.startDelayMs > 0 ? { startDelay: request.startDelayMs } : {}),
      }),
    );
    return { kind: 'started' };
  } catch (error) {
    return classifyStartError(error);
  }
}

/** By class and status code, never by text. */
export function classifyStartError(error: unknown): StartOutcome {
  if (error instanceof WorkflowExecutionAlreadyStartedError) return { kind: 'already_started' };
  const { status, text } = readGrpcFailure(error);
  if (status === RESOURCE_EXHAUSTED) return { kind: 'throttled', error: text };
  return { kind: meansUnreachable(status) ? 'unreachable' : 'failed', error: text };
}
