import type { Redis } from 'ioredis';
import { AdmissionLostError } from '../guards.js';
import type { CircuitState, GuardSettings, RefusalReason } from '../guards.js';
import type { SharedGuards } from '../guards-with-fallback.js';
import { ADMIT, ADOPT, SETTLE, VIEW } from './redis-guard-scripts.js';

export interface RedisGuardsOptions {
  readonly redis: Redis;
  readonly settings: GuardSettings;
  readonly newToken: () => string;
  /** Keeps installations apart that share one Redis. */
  readonly keyPrefix?: string;
}

/** How long the state of a circuit is kept that nobody asks about. */
const KEEP_MS = 24 * 3_600_000;

/** Guards over all instances. Throws when Redis does not answer. */
export function createRedisGuards(options: RedisGuardsOptions): SharedGuards {
  const { redis, settings, newToken, keyPrefix = 'sluice:webhooks' } = options;
  const scripts = defineScripts(redis);
  // The braces keep all keys of one subscription on one node of a cluster.
  const keysOf = (subscriptionId: string): Keys => {
    const base = `${keyPrefix}:{${subscriptionId}}`;
    return [`${base}:circuit`, `${base}:permits`, `${base}:probes`, `${base}:rate`];
  };
  return {
    async admit({ subscriptionId, count, limits }) {
      const token = newToken();
      const permits = Array.from({ length: count }, (_, at) => ({
        subscriptionId,
        token: `${token}:${at + 1}`,
      }));
      const { permitTtlMs, probes, rampStepMs } = settings;
      const rules = [
        count,
        limits.maxConcurrency,
        limits.ratePerSecond,
        token,
        permitTtlMs,
        probes,
        rampStepMs,
      ];
      let answer: AdmitAnswer;
      try {
        answer = await scripts.sluiceAdmit(...keysOf(subscriptionId), ...rules);
      } catch (cause) {
        throw new AdmissionLostError(permits, { cause });
      }
      const [granted, reason, retryAfterMs] = answer;
      const refusal = reason === '' ? undefined : { reason, retryAfterMs };
      return { permits: permits.slice(0, granted), refusal };
    },

    async settle({ subscriptionId, token }, use) {
      const { failureThreshold, openMs } = settings;
      await scripts.sluiceSettle(...keysOf(subscriptionId), failureThreshold, openMs, KEEP_MS, token, use);
    },

    async adopt(subscriptionId, tokens) {
      await scripts.sluiceAdopt(...keysOf(subscriptionId), settings.permitTtlMs, ...tokens);
    },

    async circuit(subscriptionId) {
      const [state, retryAfterMs] = await scripts.sluiceCircuit(...keysOf(subscriptionId));
      return { state, retryAfterMs };
    },

    async ping() {
      await redis.ping();
    },
  };
}

type Keys = [string, string, string, string];
type AdmitAnswer = [granted: number, reason: RefusalReason | '', retryAfterMs: number];
type Argument = string | number;

interface Scripts {
  sluiceAdmit(...values: Argument[]): Promise<AdmitAnswer>;
  sluiceSettle(...values: Argument[]): Promise<CircuitState>;
  sluiceAdopt(...values: Argument[]): Promise<number>;
  sluiceCircuit(...values: Argument[]): Promise<[CircuitState, number]>;
}

/** ioredis sends the digest of a script, and its text only to a server that does not know it, after a failover too. */
function defineScripts(redis: Redis): Scripts {
  const numberOfKeys = 4;
  redis.defineCommand('sluiceAdmit', { numberOfKeys, lua: ADMIT });
  redis.defineCommand('sluiceSettle', { numberOfKeys, lua: SETTLE });
  redis.defineCommand('sluiceAdopt', { numberOfKeys, lua: ADOPT });
  redis.defineCommand('sluiceCircuit', { numberOfKeys, lua: VIEW });
  // `defineCommand` adds methods that the type of the client does not show.
  return redis as unknown as Scripts;
}
