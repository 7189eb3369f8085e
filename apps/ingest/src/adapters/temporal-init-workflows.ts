import {
  isGrpcServiceError,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import type { PaymentId } from '@sluice/payments';
import { initWorkflowType, type PaymentInitInput } from '../phase-a.js';
import type { InitWorkflows, StartOutcome } from '../ports.js';

interface Options {
  readonly client: Client;
  readonly taskQueue: string;
  /** Longest wait for Temporal in one call of the port, retries and all. */
  readonly timeoutMs: number;
}

// gRPC: CANCELLED (our own time limit), UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL, UNAVAILABLE.
// Anything else (a wrong namespace, a refused argument) will not pass later either and is an error of ours.
const passingCodes: ReadonlySet<number> = new Set([1, 2, 4, 8, 10, 13, 14]);

/** Starts Phase A of single payments. A workflow id is used once: never again, running or closed. */
export function temporalInitWorkflows({ client, taskQueue, timeoutMs }: Options): InitWorkflows {
  const workflowId = (paymentId: PaymentId) => `init-payment-${paymentId}`;
  const describe = (paymentId: PaymentId) => client.workflow.getHandle(workflowId(paymentId)).describe();

  // The deadline ends a call; the signal ends the pause before the client's next attempt, which no deadline does.
  const within = <T>(work: () => Promise<T>): Promise<T> =>
    client.connection.withDeadline(Date.now() + timeoutMs, () =>
      client.withAbortSignal(AbortSignal.timeout(timeoutMs), work),
    );

  return {
    async start({ request, fingerprint }): Promise<StartOutcome> {
      const input: PaymentInitInput = { requests: [request] };
      try {
        return await within(async () => {
          try {
            await client.workflow.start(initWorkflowType, {
              args: [input],
              taskQueue,
              workflowId: workflowId(request.paymentId),
              workflowIdReusePolicy: 'REJECT_DUPLICATE',
              workflowIdConflictPolicy: 'FAIL',
              memo: { fingerprint },
            });
            return { kind: 'started' };
          } catch (error) {
            if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
            return { kind: 'exists', fingerprint: fingerprintIn(await describe(request.paymentId)) };
          }
        });
      } catch (error) {
        return unavailable(error);
      }
    },

    async find(paymentId) {
      try {
        const { startTime } = await within(() => describe(paymentId));
        return { kind: 'found', startedAt: startTime };
      } catch (error) {
        return error instanceof WorkflowNotFoundError ? { kind: 'unknown' } : unavailable(error);
      }
    },
  };
}

function fingerprintIn({ memo }: WorkflowExecutionDescription): string | undefined {
  const fingerprint = memo?.['fingerprint'];
  return typeof fingerprint === 'string' ? fingerprint : undefined;
}

function unavailable(error: unknown): { kind: 'unavailable'; cause: unknown } {
  // Between the refused start and the question Temporal has forgotten the workflow; the next try will start it.
  if (error instanceof WorkflowNotFoundError) return { kind: 'unavailable', cause: error };
  const grpcError = error instanceof ServiceError ? error.cause : error;
  if (isGrpcServiceError(grpcError) && passingCodes.has(grpcError.code))
    return { kind: 'unavailable', cause: error };
  throw error;
}
