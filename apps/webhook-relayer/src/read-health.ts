import type { Clock } from '@sluice/service-kit';
import type { HealthViews, SubscriptionHealth, SubscriptionStore, SubscriptionView } from './api-ports.js';
import type { CircuitView, Guards } from './guards.js';
import { DURATION_BOUNDS } from './health-tally.js';

export interface ReadHealthParts {
  readonly subscriptions: Pick<SubscriptionStore, 'find'>;
  readonly health: HealthViews;
  readonly guards: Pick<Guards, 'circuit'>;
  readonly clock: Clock;
}

export interface HealthReport extends SubscriptionHealth {
  readonly subscription: SubscriptionView;
  /** The begin of the first hour that is counted. */
  readonly since: Date;
  /** Share of attempts that delivered; null without attempts. */
  readonly successRate: number | null;
  readonly p95Ms: number | null;
  readonly circuit: CircuitView;
}

export type ReadHealth = (tenantId: string, id: string) => Promise<HealthReport | undefined>;

const HOUR_MS = 3_600_000;
const HOURS = 24;

/** How a subscription has been doing for the last day, from sums that are kept as outcomes come in. */
export function createReadHealth({ subscriptions, health, guards, clock }: ReadHealthParts): ReadHealth {
  return async (tenantId, id) => {
    const subscription = await subscriptions.find(tenantId, id);
    if (subscription === undefined) return undefined;
    const thisHour = Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS;
    const since = new Date(thisHour - (HOURS - 1) * HOUR_MS);
    const [sums, circuit] = await Promise.all([health.read(id, since), guards.circuit(id)]);
    const attempts = sums.delivered + sums.retried + sums.failed;
    return {
      ...sums,
      subscription,
      since,
      successRate: attempts === 0 ? null : sums.delivered / attempts,
      p95Ms: percentile(sums.durationBuckets, 0.95),
      circuit,
    };
  };
}

/**
 * The duration that this share of the attempts stayed below, taken as evenly spread within its class. What lies above
 * the last bound is told as that bound.
 */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = share * total;
  let below = 0;
  for (const [at, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const lower = DURATION_BOUNDS[at - 1] ?? 0;
      const upper = DURATION_BOUNDS[at] ?? lower;
      return Math.round(lower + (upper - lower) * ((rank - below) / count));
    }
    below += count;
  }
  return DURATION_BOUNDS.at(-1) ?? null;
}
