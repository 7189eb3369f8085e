import { z } from 'zod';
import type { SinkLedgerLine } from '../webhook-sink/sink.js';

export interface Notices {
  /** Accepted payments that at least one webhook, answered with 2xx, told of. */
  readonly notified: number;
  readonly notNotified: readonly string[];
  /** Webhooks that came again to the same path under the same id: allowed, since delivery is at least once. */
  readonly repeated: number;
}

const noticeSchema = z.object({
  type: z.literal('payment.processing'),
  data: z.object({ paymentId: z.string() }),
});

export function checkNotices(
  accepted: ReadonlyMap<string, unknown>,
  lines: Iterable<SinkLedgerLine>,
): Notices {
  const told = new Set<string>();
  const webhooks = new Set<string>();
  let repeated = 0;
  for (const line of lines) {
    const paymentId = wasTaken(line) ? paymentOf(line.body) : undefined;
    if (paymentId === undefined) continue;
    told.add(paymentId);
    const webhook = JSON.stringify([line.path, line.headers['webhook-id']]);
    if (webhooks.has(webhook)) repeated += 1;
    webhooks.add(webhook);
  }
  const notNotified = [...accepted.keys()].filter((paymentId) => !told.has(paymentId));
  return { notified: accepted.size - notNotified.length, notNotified, repeated };
}

function wasTaken({ status }: SinkLedgerLine): boolean {
  return status !== null && status >= 200 && status < 300;
}

function paymentOf(body: string): string | undefined {
  try {
    return noticeSchema.safeParse(JSON.parse(body)).data?.data.paymentId;
  } catch {
    return undefined;
  }
}
