import { Client, Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';
import type { ConnectionOptions } from '@temporalio/client';
import type { Dependency } from '../service.js';

export interface TemporalOptions {
  readonly address: string;
  readonly namespace: string;
}

export interface TemporalConnection {
  readonly client: Client;
  readonly dependency: Dependency;
  close(): Promise<void>;
}

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

const CHECK_LIMIT_MS = 1500;
const CALL_LIMIT_MS = 10_000;
// The server holds these calls open until something happens, for a minute at most.
const LONG_POLL_LIMIT_MS = 70_000;
const LONG_POLLS = /\/(GetWorkflowExecutionHistory|PollWorkflowExecutionUpdate|UpdateWorkflowExecution)$/;

/** A client whose calls all have a time limit. It connects with the first call, so that Temporal may come up later. */
export function connectTemporal(options: TemporalOptions): TemporalConnection {
  const connection = Connection.lazy({
    address: options.address,
    connectTimeout: 5000,
    interceptors: [limitCalls, makeGrpcRetryInterceptor(defaultGrpcRetryOptions())],
  });
  const { namespace } = options;
  return {
    client: new Client({ connection, namespace }),
    dependency: {
      name: 'temporal',
      async check(signal) {
        // The SDK goes on to retry after an abort, until the deadline.
        await connection.withDeadline(Date.now() + CHECK_LIMIT_MS, () =>
          connection.withAbortSignal(signal, () =>
            connection.workflowService.describeNamespace({ namespace }),
          ),
        );
      },
    },
    close: () => connection.close(),
  };
}

/** Outside of the retries, so that all attempts of a call share one deadline. A deadline of the caller's own wins. */
const limitCalls: Interceptor = (callOptions, nextCall) => {
  const path = callOptions.method_definition.path;
  const limitMs = LONG_POLLS.test(path) ? LONG_POLL_LIMIT_MS : CALL_LIMIT_MS;
  const call = nextCall({ ...callOptions, deadline: callOptions.deadline ?? Date.now() + limitMs });
  // The next in the list is the retry interceptor, and an interceptor always makes one of these.
  return call as ReturnType<Interceptor>;
};
