import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { checkRun, readRailLedger, readSinkLedger, type Verdict } from '../checker/index.js';
import type { ApiClient } from './api-client.js';
import { type DemoPayment, type DemoRequest, herdOfPayments } from './demo-payments.js';

export interface Demonstration {
  readonly api: ApiClient;
  readonly ingestUrl: string;
  readonly dispatcherUrl: string;
  readonly railUrl: string;
  readonly sinkUrl: string;
  /** Begins the id of every payment of this demonstration. */
  readonly run: string;
  readonly count: number;
  /** The instant that all payments want. */
  readonly executeAt: Date;
  /** Gives up counting when the herd has not passed by then. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
}

export interface Progress {
  readonly sent: number;
  readonly executed: number;
  readonly notified: number;
}

export interface DemonstrationResult extends Sighting {
  /** By the dispatcher's own queue; the rest is told by those outside. */
  readonly dispatched: number;
}

interface Sighting {
  readonly verdict: Verdict;
  readonly firstExecution: Date | undefined;
  readonly lastExecution: Date | undefined;
}

/** How many requests are under way at once, so that the herd arrives quickly but no service is flooded. */
const SENDERS = 8;
const LOOK_EVERY_MS = 250;

/** Sends a herd of payments for one instant and follows it by the ledgers of the rail and the sink until all have arrived. */
export async function runDemonstration(demonstration: Demonstration): Promise<DemonstrationResult> {
  const { count, executeAt, signal } = demonstration;
  const accepted: DemoPayment[] = [];
  const queue = herdOfPayments(demonstration.run, count, executeAt);
  const progress = { sent: 0, executed: 0, notified: 0 };
  const sending = Promise.all(
    Array.from({ length: SENDERS }, () =>
      drain(demonstration, queue, (payment) => {
        accepted.push(payment);
        progress.sent = accepted.length;
      }),
    ),
  );
  const deadline = Date.now() + demonstration.patienceMs;
  let result = await look(demonstration, accepted);
  const watch = async (): Promise<void> => {
    while (!signal.aborted && Date.now() < deadline) {
      result = await look(demonstration, accepted);
      progress.executed = result.verdict.executed;
      progress.notified = result.verdict.notices?.notified ?? 0;
      demonstration.onProgress({ ...progress });
      if (accepted.length === count && progress.executed >= count && progress.notified >= count) return;
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  await Promise.all([sending, watch()]);
  return {
    ...(await look(demonstration, accepted)),
    dispatched: await countDispatched(demonstration, accepted),
  };
}

async function drain(
  { api, ingestUrl, signal }: Demonstration,
  queue: DemoRequest[],
  onAccepted: (payment: DemoPayment) => void,
): Promise<void> {
  for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift()) {
    await api.send('POST', `${ingestUrl}/api/v1/payments`, next.body);
    onAccepted(next.accepted);
  }
}

async function look(demonstration: Demonstration, accepted: readonly DemoPayment[]): Promise<Sighting> {
  const { railUrl, sinkUrl, run } = demonstration;
  const [rail, sink] = await Promise.all([
    ledger(`${railUrl}/ledger?instructionPrefix=ins-${run}-`).then(readRailLedger),
    ledger(`${sinkUrl}/ledger?path=/hooks/demonstration`).then(readSinkLedger),
  ]);
  const times = rail.map(({ at }) => Date.parse(at));
  return {
    verdict: checkRun({ accepted, rail, sink }),
    firstExecution: times.length > 0 ? new Date(Math.min(...times)) : undefined,
    lastExecution: times.length > 0 ? new Date(Math.max(...times)) : undefined,
  };
}

const queueItem = z.object({ status: z.string() });

async function countDispatched(
  { api, dispatcherUrl }: Demonstration,
  accepted: readonly DemoPayment[],
): Promise<number> {
  const waiting = [...accepted];
  let dispatched = 0;
  const count = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const url = `${dispatcherUrl}/api/v1/dispatch/items/PAYMENT/${next.paymentId}`;
      const item = queueItem.safeParse(await api.send('GET', url).catch(() => undefined));
      if (item.data?.status === 'DISPATCHED') dispatched += 1;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, count));
  return dispatched;
}

async function ledger(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
  return response.text();
}
