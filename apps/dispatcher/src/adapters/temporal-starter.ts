import {
  Client,
  Connection,
  defaultGrpcRetryOptions,
  isGrpcServiceError,
  makeGrpcRetryInterceptor,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client';
import type { ExecStarter, StartOutcome, StartRequest } from '../ports.js';

const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const RESOURCE_EXHAUSTED = 8;
const UNAVAILABLE = 14;

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
  const cause = error instanceof ServiceError ? error.cause : error;
  const text = cause instanceof Error ? cause.message : String(cause);
  if (!isGrpcServiceError(cause)) return { kind: 'failed', error: text };
  switch (cause.code as number) {
    case RESOURCE_EXHAUSTED:
      return { kind: 'throttled', error: text };
    case CANCELLED:
    case DEADLINE_EXCEEDED:
    case UNAVAILABLE:
      return { kind: 'unreachable', error: text };
    default:
      return { kind: 'failed', error: text };
  }
}
