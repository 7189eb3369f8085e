import type { Clock, Logger } from '@sluice/service-kit';
import { withoutReserved } from './customer-headers.js';
import type {
  AttemptReport,
  ClaimedDelivery,
  DeliveryQueue,
  SendResult,
  Settlement,
  SettledClaim,
  WebhookSender,
} from './delivery-ports.js';
import type { Guards, Permit } from './guards.js';
import type { Metrics } from './metrics.js';
import { decideOutcome, verdictOn } from './outcome.js';
import { retrySchedules } from './retry-schedule.js';
import { SecretUnreadableError } from './secret-box.js';
import type { SignRequest } from './sign-request.js';
import type { Written } from './write-outcomes.js';

export interface DeliverParts {
  readonly queue: Pick<DeliveryQueue, 'defer'>;
  readonly guards: Pick<Guards, 'settle'>;
  readonly sign: SignRequest;
  readonly sender: WebhookSender;
  readonly write: (settled: SettledClaim) => Promise<Written>;
  readonly reportHealth: (report: AttemptReport) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Carries one claimed delivery through: signature, request, record. The permit is given back whatever happens. */
export type Deliver = (claim: ClaimedDelivery, permit: Permit, stop: AbortSignal) => Promise<void>;

/** How long a delivery waits whose secret cannot be opened: somebody has to put the right key in place. */
const UNREADABLE_MS = 60_000;

export function createDeliver(parts: DeliverParts): Deliver {
  return async (claim, permit, stop) => {
    const signed = sign(parts, claim);
    if (signed.kind === 'deferred') {
      await parts.guards.settle(permit, 'unused');
      parts.metrics.deferrals.inc({ reason: signed.reason });
      return parts.queue.defer([{ claim, reason: signed.reason, delayMs: signed.delayMs }]);
    }
    const { url } = claim.endpoint;
    const sending = parts.sender.send({ url, headers: signed.headers, body: claim.body }, stop);
    const result = await sending.catch(async (error: unknown) => {
      await parts.guards.settle(permit, 'neutral');
      throw error;
    });
    await Promise.all([parts.guards.settle(permit, verdictOn(result)), record(parts, claim, result)]);
  };
}

type Signed =
  | { readonly kind: 'signed'; readonly headers: Record<string, string> }
  | {
      readonly kind: 'deferred';
      readonly reason: 'SECRET_UNREADABLE' | 'SUBSCRIPTION_ENDED';
      readonly delayMs: number;
    };

/** A secret that cannot be opened is our fault and not the endpoint's: no attempt is used up. */
function sign({ sign: signRequest, log }: DeliverParts, claim: ClaimedDelivery): Signed {
  const { subscriptionId, sealedSecrets, signatureForm: form, customHeaders } = claim.endpoint;
  // Deleted since the claim: the sweep cancels it as soon as it is back.
  if (sealedSecrets.length === 0) return { kind: 'deferred', reason: 'SUBSCRIPTION_ENDED', delayMs: 0 };
  try {
    const { eventId, body, replayNo: replays } = claim;
    const signature = signRequest({ subscriptionId, eventId, body, form, sealedSecrets, replays });
    // Ours come last, so that nothing a customer sets can stand in their place.
    return { kind: 'signed', headers: { ...withoutReserved(customHeaders), ...FIXED_HEADERS, ...signature } };
  } catch (err) {
    if (!(err instanceof SecretUnreadableError)) throw err;
    log.error({ err, subscriptionId }, 'a secret cannot be opened; check SLUICE_SECRETS_KEY');
    return { kind: 'deferred', reason: 'SECRET_UNREADABLE', delayMs: UNREADABLE_MS };
  }
}

const FIXED_HEADERS = {
  'content-type': 'application/json',
  // A compressed answer could unpack to any size.
  'accept-encoding': 'identity',
  'user-agent': 'Sluice-Webhooks/1.0',
};

async function record(parts: DeliverParts, claim: ClaimedDelivery, result: SendResult): Promise<void> {
  const { random, clock, metrics, log } = parts;
  const schedule = retrySchedules[claim.endpoint.retryProfile];
  const settlement = decideOutcome(result, claim, { schedule, random, now: clock.now() });
  metrics.attempts.inc({ outcome: settlement.outcome });
  metrics.attemptDuration.observe(result.durationMs / 1_000);
  reportHealth(parts, claim, settlement);
  const line = describe(claim, settlement);
  try {
    const written = await parts.write({ claim, settlement });
    if (written === 'late') {
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
    log.debug(line, 'delivered');
  } else log.info(line, 'not delivered');
}

function reportHealth(
  { reportHealth: report }: DeliverParts,
  claim: ClaimedDelivery,
  settlement: Settlement,
): void {
  if (settlement.outcome === 'interrupted') return;
  const kinds = {
    delivered: 'delivered',
    retry: 'retried',
    failed: 'failed',
    exhausted: 'failed',
    gone: 'failed',
  } as const;
  const { durationMs, statusCode, errorCode, errorDetail } = settlement.record;
  const kind = kinds[settlement.outcome];
  report({
    subscriptionId: claim.endpoint.subscriptionId,
    kind,
    durationMs,
    statusCode,
    errorCode,
    errorDetail,
  });
}

function describe(
  { id: deliveryId, eventId, eventType, attemptNo, endpoint: { subscriptionId } }: ClaimedDelivery,
  { outcome, delayMs, record: { statusCode, errorCode, durationMs } }: Settlement,
) {
  const ids = { deliveryId, eventId, eventType, subscriptionId, attemptNo };
  return { ...ids, outcome, delayMs, statusCode, errorCode, durationMs: Math.round(durationMs) };
}
