import {
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
} from '@temporalio/client';
import { initWorkflowType, type PaymentInitInput } from '../phase-a.js';
import type { InitWorkflows } from '../ports.js';

interface Options {
  readonly client: Client;
  readonly taskQueue: string;
  /** Longest wait for Temporal in one call of the port, retries and all. */
  readonly timeoutMs: number;
}

// gRPC: CANCELLED (our own time limit), UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL, UNAVAILABLE.
// Anything else (a wrong namespace, a refused argument) will not pass later either and is an error of ours.
const passingCodes: ReadonlySet<number> = new Set([1, 2, 4, 8, 10, 13, 14]);

/**
 * Starts Phase A. An id runs once, unless that run failed or was ended by an operator: every step is safe to repeat, so
 * that sending the payments again repairs them.
 */
export function temporalInitWorkflows({ client, taskQueue, timeoutMs }: Options): InitWorkflows {
  // The deadline ends a call; the signal ends the pause before the client's next attempt, which no deadline does.
  const within = <T>(work: () => Promise<T>): Promise<T> =>
    client.connection.withDeadline(Date.now() + timeoutMs, () =>
      client.withAbortSignal(AbortSignal.timeout(timeoutMs), work),
    );

  return {
    async start({ workflowId, requests, traceparent }) {
      const input: PaymentInitInput = { requests };
      try {
        await within(() =>
          client.workflow.start(initWorkflowType, {
            args: [input],
            taskQueue,
            workflowId,
            workflowIdReusePolicy: 'ALLOW_DUPLICATE_FAILED_ONLY',
            workflowIdConflictPolicy: 'FAIL',
            ...(traceparent === undefined ? {} : { memo: { traceparent } }),
          }),
        );
        return { kind: 'started' };
      } catch (error) {
        return error instanceof WorkflowExecutionAlreadyStartedError
          ? { kind: 'exists' }
          : unavailable(error);
      }
    },

    async find(workflowId) {
      try {
        const { startTime } = await within(() => client.workflow.getHandle(workflowId).describe());
        return { kind: 'found', startedAt: startTime };
      } catch (error) {
        return error instanceof WorkflowNotFoundError ? { kind: 'unknown' } : unavailable(error);
      }
    },
  };
}

function unavailable(error: unknown): { kind: 'unavailable'; cause: unknown } {
  const grpcError = error instanceof ServiceError ? error.cause : error;
  if (isGrpcServiceError(grpcError) && passingCodes.has(grpcError.code))
    return { kind: 'unavailable', cause: error };
  throw error;
}
