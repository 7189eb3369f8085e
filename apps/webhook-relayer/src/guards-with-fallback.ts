import type { Logger } from '@sluice/service-kit';
import { AdmissionLostError } from './guards.js';
import type { Guards, Permit, PermitUse } from './guards.js';
import type { LocalGuards } from './local-guards.js';

/** Guards over all instances, which may be out of reach: then they throw. */
export interface SharedGuards extends Guards {
  /** Counts permits that were given out while it was out of reach. */
  adopt(subscriptionId: string, tokens: readonly string[]): Promise<void>;
  ping(): Promise<void>;
}

export interface FallbackOptions {
  readonly shared: SharedGuards;
  readonly local: LocalGuards;
  readonly log: Logger;
  /** Told of every change, with true when the fallback is in use. */
  readonly onChange: (degraded: boolean) => void;
}

export interface GuardsWithFallback extends Guards {
  /** To be called every second or so: finds out whether the shared guards are back, and brings them up to date. */
  maintain(): Promise<void>;
}

/** Returns of permits that were not heard; of more than this the rest is left to expire. */
const MAX_UNHEARD = 10_000;
/** Permits change hands while the shared guards are brought up to date; after so many rounds the last few may be missed. */
const MAX_ROUNDS = 10;

/**
 * Failure policy: while the shared guards do not answer, deliveries go on under the local ones, loudly. The local guards count
 * along all the time, and the shared ones are told what is out before they are asked again, so that at neither change
 * what is in flight is forgotten. With a limit L over N instances, at most L requests are in flight while Redis answers, and
 * at most L + N · max(1, L / N) for as long as instances differ in what they can reach.
 */
export function createGuardsWithFallback(options: FallbackOptions): GuardsWithFallback {
  const { shared, local, log } = options;
  const unheard: { permit: Permit; use: PermitUse }[] = [];
  let isDegraded = false;

  const degrade = (err: unknown): void => {
    if (isDegraded) return;
    isDegraded = true;
    options.onChange(true);
    log.error({ err }, 'Redis does not answer: this instance keeps to its share of the limits by itself');
  };

  const remember = (permit: Permit, use: PermitUse): void => {
    if (unheard.length < MAX_UNHEARD) unheard.push({ permit, use });
  };

  return {
    async admit(request) {
      if (isDegraded) return local.admit(request);
      try {
        const admission = await shared.admit(request);
        local.adopt(admission.permits, request.limits);
        return admission;
      } catch (err) {
        const possible = err instanceof AdmissionLostError ? err.possible : [];
        for (const permit of possible) remember(permit, 'unused');
        degrade(err);
        return local.admit(request);
      }
    },

    async settle(permit, use) {
      await local.settle(permit, use);
      if (isDegraded) return remember(permit, use);
      try {
        await shared.settle(permit, use);
      } catch (err) {
        remember(permit, use);
        degrade(err);
      }
    },

    async circuit(subscriptionId) {
      if (isDegraded) return local.circuit(subscriptionId);
      return shared.circuit(subscriptionId).catch(() => local.circuit(subscriptionId));
    },

    async maintain() {
      if (!isDegraded) return;
      try {
        await bringUpToDate({ shared, local, unheard });
      } catch (err) {
        log.debug({ err }, 'Redis is still away');
        return;
      }
      isDegraded = false;
      options.onChange(false);
      log.warn('Redis is back: the limits are counted over all instances again');
    },
  };
}

interface Reconciled extends Pick<FallbackOptions, 'shared' | 'local'> {
  readonly unheard: { permit: Permit; use: PermitUse }[];
}

async function bringUpToDate({ shared, local, unheard }: Reconciled): Promise<void> {
  await shared.ping();
  const known = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const missing = local.outstanding().filter(({ token }) => !known.has(token));
    if (missing.length === 0 && unheard.length === 0) return;
    for (const [subscriptionId, permits] of Map.groupBy(missing, (permit) => permit.subscriptionId)) {
      const tokens = permits.map(({ token }) => token);
      await shared.adopt(subscriptionId, tokens);
      for (const token of tokens) known.add(token);
    }
    // After the adoption: what was given back in the meantime is among these.
    for (let next = unheard[0]; next !== undefined; next = unheard[0]) {
      await shared.settle(next.permit, next.use);
      unheard.shift();
    }
  }
}
