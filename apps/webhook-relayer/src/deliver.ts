import { retry } from '@sluice/service-kit';
import type { Clock, Logger } from '@sluice/service-kit';
import type { Metrics } from './metrics.js';
import { decideOutcome } from './outcome.js';
import type {
  ClaimedDelivery,
  ConcurrencyLimit,
  DeliveryQueue,
  SendResult,
  Settlement,
  WebhookSender,
} from './ports.js';
import type { RetrySchedule } from './retry-schedule.js';
import { SecretUnreadableError } from './secret-box.js';
import type { SecretBox } from './secret-box.js';
import { signatureHeaders } from './signature.js';

export interface DeliverParts {
  readonly queue: DeliveryQueue;
  readonly limit: ConcurrencyLimit;
  readonly sender: WebhookSender;
  readonly secrets: SecretBox;
  readonly schedule: RetrySchedule;
  readonly clock: Clock;
  readonly random: () => number;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export type Deliver = (claim: ClaimedDelivery, stop: AbortSignal) => Promise<void>;

type DeferReason = 'CONCURRENCY' | 'SECRET_UNREADABLE' | 'SUBSCRIPTION_ENDED';

/** Carries one claimed delivery through: guards, signature, request, record. */
export function createDeliver(parts: DeliverParts): Deliver {
  const { queue, limit, metrics } = parts;

  const defer = async (claim: ClaimedDelivery, reason: DeferReason, delayMs: number): Promise<void> => {
    metrics.deferrals.inc({ reason });
    // Spread, so that deliveries put off together do not come back together.
    await queue.defer(claim, reason, Math.round(delayMs * (0.5 + parts.random())));
  };

  return async (claim, stop) => {
    // Deleted since the claim: the sweep cancels it as soon as it is back.
    if (claim.sealedSecret === undefined) return defer(claim, 'SUBSCRIPTION_ENDED', 0);
    const key = openSecret(parts, claim, claim.sealedSecret);
    if (key === undefined) return defer(claim, 'SECRET_UNREADABLE', 60_000);
    const permit = await limit.acquire(claim.subscriptionId);
    if (permit === undefined) return defer(claim, 'CONCURRENCY', 500);
    let result: SendResult;
    try {
      result = await send(parts, claim, { key, stop });
    } finally {
      await permit
        .release()
        .catch((err: unknown) => parts.log.debug({ err }, 'a permit expires instead of being released'));
    }
    await record(parts, claim, result);
  };
}

/** Undefined when it cannot be opened, which is our fault and not the endpoint's: no attempt is used up. */
function openSecret(
  { secrets, log }: DeliverParts,
  claim: ClaimedDelivery,
  sealed: Buffer,
): Buffer | undefined {
  try {
    return secrets.open(sealed, claim.subscriptionId);
  } catch (err) {
    if (!(err instanceof SecretUnreadableError)) throw err;
    log.error(
      { err, subscriptionId: claim.subscriptionId },
      'a secret cannot be opened; check SLUICE_SECRETS_KEY',
    );
    return undefined;
  }
}

async function send(
  { sender, clock }: DeliverParts,
  claim: ClaimedDelivery,
  { key, stop }: { readonly key: Buffer; readonly stop: AbortSignal },
): Promise<SendResult> {
  const timestampSeconds = Math.floor(clock.now().getTime() / 1_000);
  const headers = {
    'content-type': 'application/json',
    // A compressed answer could unpack to any size.
    'accept-encoding': 'identity',
    'user-agent': 'Sluice-Webhooks/1.0',
    ...signatureHeaders({ eventId: claim.eventId, timestampSeconds, body: claim.body, keys: [key] }),
  };
  return sender.send({ url: claim.url, headers, body: claim.body }, stop);
}

async function record(parts: DeliverParts, claim: ClaimedDelivery, result: SendResult): Promise<void> {
  const { queue, schedule, random, clock, metrics, log } = parts;
  const settlement = decideOutcome(result, claim, { schedule, random, now: clock.now() });
  metrics.attempts.inc({ outcome: settlement.outcome });
  metrics.attemptDuration.observe(result.durationMs / 1_000);
  const line = describe(claim, settlement);
  try {
    // The request has been made; that the write is tried again saves the endpoint a repetition.
    const policy = { maxAttempts: 4, initialMs: 100, capMs: 1_000, random };
    const settled = await retry(() => queue.settle(claim, settlement), policy);
    if (settled === 'late') {
      metrics.late.inc();
      log.warn(line, 'an outcome came after its lease had been taken away');
      return;
    }
  } catch (err) {
    metrics.unrecorded.inc();
    log.error({ ...line, err }, 'an outcome could not be written; the delivery will be made again');
    return;
  }
  if (settlement.outcome === 'delivered') {
    metrics.deliveryLatency.observe(Math.max(0, clock.now().getTime() - claim.receivedAt.getTime()) / 1_000);
  }
  log.info(line, 'delivery attempted');
}

function describe(
  claim: ClaimedDelivery,
  { outcome, delayMs, record: { statusCode, errorCode, durationMs } }: Settlement,
) {
  const { id: deliveryId, eventId, eventType, subscriptionId, attemptNo } = claim;
  const ids = { deliveryId, eventId, eventType, subscriptionId, attemptNo };
  return { ...ids, outcome, delayMs, statusCode, errorCode, durationMs: Math.round(durationMs) };
}
