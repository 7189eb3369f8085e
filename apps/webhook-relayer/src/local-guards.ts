import type { Limits } from './delivery-ports.js';
import { rampRate, shareOf } from './guards.js';
import type { Admission, AdmissionRequest, Guards, GuardSettings, Permit, RefusalReason } from './guards.js';
import { createLocalCircuit } from './local-circuit.js';
import type { LocalCircuit } from './local-circuit.js';
import { createTokenBucket } from './token-bucket.js';
import type { TokenBucket } from './token-bucket.js';

export interface LocalGuardsOptions {
  readonly settings: GuardSettings;
  /** Instances that share each limit evenly. */
  readonly instances: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  readonly newToken: () => string;
}

export interface LocalGuards extends Guards {
  /** Counts permits that others gave out. */
  adopt(permits: readonly Permit[], limits: Limits): void;
  /** Permits that are out. */
  outstanding(): readonly Permit[];
}

interface Counted {
  readonly circuit: LocalCircuit;
  /** Each with the time at which it expires; all live equally long, so they expire in their order. */
  readonly permits: Map<string, number>;
  readonly bucket: TokenBucket;
}

/** Guards of one process: its share of each limit, and circuits as this process alone sees them. */
export function createLocalGuards(options: LocalGuardsOptions): LocalGuards {
  const { settings, instances, now } = options;
  const bySubscription = new Map<string, Counted>();
  const probeLimit = shareOf(settings.probes, instances);

  const countedOf = (subscriptionId: string, limits: Limits): Counted => {
    const known = bySubscription.get(subscriptionId);
    if (known !== undefined) return known;
    if (bySubscription.size >= MAX_KEPT) dropAtRest(bySubscription, now());
    const circuit = createLocalCircuit(settings, probeLimit);
    const bucket = createTokenBucket(limits.ratePerSecond / instances, now());
    const fresh = { circuit, bucket, permits: new Map<string, number>() };
    bySubscription.set(subscriptionId, fresh);
    return fresh;
  };

  return {
    admit: (request) =>
      Promise.resolve(admit(countedOf(request.subscriptionId, request.limits), request, options)),

    settle({ subscriptionId, token }, use) {
      const counted = bySubscription.get(subscriptionId);
      if (counted?.permits.delete(token) !== true) return Promise.resolve();
      if (use === 'unused') {
        counted.circuit.forget(token);
        counted.bucket.giveBack(1);
      } else counted.circuit.report(token, use, now());
      return Promise.resolve();
    },

    circuit(subscriptionId) {
      const view = bySubscription.get(subscriptionId)?.circuit.view(now());
      return Promise.resolve(view ?? { state: 'closed', retryAfterMs: 0 });
    },

    adopt(permits, limits) {
      const [first] = permits;
      if (first === undefined) return;
      const counted = countedOf(first.subscriptionId, limits);
      const expiresAt = now() + settings.permitTtlMs;
      dropExpired(counted.permits, now());
      for (const { token } of permits) counted.permits.set(token, expiresAt);
      counted.bucket.available(limits.ratePerSecond / instances, now());
      counted.bucket.take(permits.length);
    },

    outstanding: () =>
      [...bySubscription].flatMap(([subscriptionId, { permits }]) =>
        [...permits.keys()].map((token) => ({ subscriptionId, token })),
      ),
  };
}

function admit(counted: Counted, request: AdmissionRequest, options: LocalGuardsOptions): Admission {
  const { subscriptionId, count, limits } = request;
  const { settings, instances, now, newToken } = options;
  const { circuit, permits, bucket } = counted;
  const at = now();
  const opening = circuit.opening(count, at);
  if (opening.count === 0) return refused('CIRCUIT_OPEN', opening.waitMs);
  dropExpired(permits, at);
  const places = Math.min(shareOf(limits.maxConcurrency, instances), opening.cap) - permits.size;
  if (places <= 0) return refused('CONCURRENCY', PLACE_WAIT_MS);
  const rate = Math.min(limits.ratePerSecond / instances, rampRate(opening.cap, settings));
  const tokens = bucket.available(rate, at);
  const tokenWaitMs = Math.ceil(((1 - (tokens % 1)) / rate) * 1_000);
  if (tokens < 1) return refused('RATE', tokenWaitMs);
  const granted = Math.min(opening.count, places, Math.floor(tokens));
  bucket.take(granted);
  const given = Array.from({ length: granted }, () => ({ subscriptionId, token: newToken() }));
  for (const { token } of given) {
    permits.set(token, at + settings.permitTtlMs);
    circuit.begin(token, at + settings.permitTtlMs);
  }
  if (granted === count) return { permits: given };
  if (granted === opening.count) return refused('CIRCUIT_OPEN', opening.waitMs, given);
  return granted === places
    ? refused('CONCURRENCY', PLACE_WAIT_MS, given)
    : refused('RATE', tokenWaitMs, given);
}

/** A place is free when a request ends, and whoever waits for one is told; this is for the requests of others. */
const PLACE_WAIT_MS = 100;

function refused(reason: RefusalReason, retryAfterMs: number, permits: readonly Permit[] = []): Admission {
  return { permits, refusal: { reason, retryAfterMs } };
}

/** With more subscriptions than this, those are forgotten of which there is nothing to know. */
const MAX_KEPT = 10_000;

function dropAtRest(bySubscription: Map<string, Counted>, at: number): void {
  for (const [subscriptionId, { permits, circuit, bucket }] of bySubscription) {
    dropExpired(permits, at);
    if (permits.size === 0 && circuit.isAtRest() && bucket.isFull(at)) bySubscription.delete(subscriptionId);
  }
}

function dropExpired(permits: Map<string, number>, at: number): void {
  for (const [token, expiresAt] of permits) {
    if (expiresAt > at) return;
    permits.delete(token);
  }
}
