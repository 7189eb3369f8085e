import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { join } from 'node:path';

const connectsWithinMs = 10_000;

/** Runs with a client, closed afterwards. */
export async function withClient<T>(address: string, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address, connectTimeout: connectsWithinMs });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

export async function temporalVersion(address: string): Promise<string> {
  return withClient(address, async ({ connection }) => {
    const { serverVersion } = await connection.workflowService.getSystemInfo({});
    return serverVersion ?? 'unknown';
  });
}

/** Runs while a worker serves the workflows of the benches on one task queue. */
export async function withWorker<T>(
  options: { readonly address: string; readonly taskQueue: string; readonly activities?: object },
  work: () => Promise<T>,
): Promise<T> {
  quietRuntime();
  const connection = await NativeConnection.connect({ address: options.address });
  try {
    const worker = await Worker.create({
      connection,
      taskQueue: options.taskQueue,
      workflowBundle: { codePath: join(__dirname, '..', 'workflow-bundle.js') },
      ...(options.activities ? { activities: options.activities } : {}),
    });
    return await worker.runUntil(work);
  } finally {
    await connection.close();
  }
}

let isQuiet = false;

function quietRuntime(): void {
  if (isQuiet) return;
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  isQuiet = true;
}

/** Calls one after the other in several lanes; the first failure ends all. */
export async function inLanes(
  lanes: number,
  calls: number,
  call: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < calls; index = next++) await call(index);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
