import { uuidv7 } from 'uuidv7';
import { backoffDelay } from './backoff.js';
import type { RetryPolicy } from './decide-outcome.js';
import { dispatchClaim } from './dispatch-claim.js';
import { keepLeases } from './keep-leases.js';
import type { LeasedFlight } from './keep-leases.js';
import { createLatch } from './latch.js';
import type { Latch } from './latch.js';
import { pause } from './pause.js';
import type { Claim, Destination, Outcome, OutboxStore, Settled, Settlement } from './ports.js';
import { settleInBatches } from './settle-in-batches.js';

/** The relay reports here; map it to metrics and logs. None of these may throw. */
export interface RelayObserver {
  claimed?(claims: readonly Claim[]): void;
  /** after the outcome is on record */
  settled?(
    claim: Claim,
    outcome: Outcome,
    result: { readonly latencyMs: number; readonly late: boolean },
  ): void;
  /** left to the reaper: the lease ran short, or the outcome could not be written */
  abandoned?(claim: Claim): void;
  /** the database refused something; the relay goes on by itself */
  failed?(step: 'claim' | 'renew' | 'settle', error: unknown): void;
}

export interface RelayOptions {
  readonly name: string;
  readonly store: OutboxStore;
  /** by rail type; only these are claimed */
  readonly destinations: Readonly<Record<string, Destination>>;
  /** instructions in flight at most; default 32 */
  readonly concurrency?: number;
  /** renewed while a call runs; default 30 */
  readonly leaseSeconds?: number;
  /** default 500 */
  readonly pollIntervalMs?: number;
  /** hard limit of one call to a destination; default 10,000 */
  readonly callTimeoutMs?: number;
  /** after so many attempts a retryable failure becomes a dead letter and an unknown outcome IN_DOUBT; default 50 */
  readonly maxAttempts?: number;
  /** default 200 ms growing to 30 s, with full jitter */
  readonly backoff?: { readonly initialMs: number; readonly capMs: number };
  readonly observer?: RelayObserver;
  readonly random?: () => number;
  /** milliseconds that never go backwards */
  readonly monotonic?: () => number;
}

/** Has the shape of a service's worker. */
export interface Relay {
  readonly name: string;
  readonly maxBeatMs: number;
  /** claims and sends until the signal aborts, then finishes what is in flight */
  run(signal: AbortSignal, beat: () => void): Promise<void>;
  /** there may be work: claim now instead of at the next poll */
  wake(): void;
}

const defaults = {
  concurrency: 32,
  leaseSeconds: 30,
  pollIntervalMs: 500,
  callTimeoutMs: 10_000,
  maxAttempts: 50,
  backoff: { initialMs: 200, capMs: 30_000 },
  observer: {},
  random: Math.random,
  monotonic: () => performance.now(),
} as const satisfies Partial<RelayOptions>;

const databaseBackoff = { initialMs: 100, capMs: 5_000 };
const settleAttempts = 8;

type Settings = Required<RelayOptions>;

export function createRelay(options: RelayOptions): Relay {
  const settings: Settings = { ...defaults, ...options };
  const latch = createLatch();
  return {
    name: settings.name,
    maxBeatMs: 60_000,
    wake: latch.open,
    run: (signal, beat) => runRelay(settings, latch, { signal, beat }),
  };
}

async function runRelay(
  settings: Settings,
  latch: Latch,
  { signal, beat }: { signal: AbortSignal; beat: () => void },
): Promise<void> {
  const flights = new Set<LeasedFlight>();
  const settle = settleInBatches(settings.store, settings.concurrency);
  const drained = new AbortController();
  const leases = keepLeases(flights, settings, drained.signal);
  let failures = 0;

  while (!signal.aborted) {
    beat();
    const free = settings.concurrency - flights.size;
    const requestedAt = settings.monotonic();
    try {
      const claims = free > 0 ? await claimUpTo(free, settings) : [];
      for (const claim of claims) {
        const flight = takeOff(claim, requestedAt, settings);
        flights.add(flight);
        flight.landed = fly(flight, settings, settle)
          .catch((error: unknown) => settings.observer.failed?.('settle', error))
          .finally(() => {
            flights.delete(flight);
            latch.open();
          });
      }
      failures = 0;
    } catch (error) {
      failures += 1;
      settings.observer.failed?.('claim', error);
    }
    const rest =
      failures > 0 ? backoffDelay(failures, databaseBackoff, settings.random) : settings.pollIntervalMs;
    await latch.wait(rest, signal);
  }

  await Promise.all([...flights].map((flight) => flight.landed));
  drained.abort();
  await leases;
}

async function claimUpTo(limit: number, settings: Settings): Promise<readonly Claim[]> {
  const { store, destinations, leaseSeconds, observer } = settings;
  const claims = await store.claim({
    railTypes: Object.keys(destinations),
    limit,
    leaseSeconds,
    token: uuidv7(),
  });
  if (claims.length > 0) observer.claimed?.(claims);
  return claims;
}

/** The lease began in the database after `requestedAt`, so reckoning from there never overstates it. */
function takeOff(claim: Claim, requestedAt: number, settings: Settings): LeasedFlight {
  const leaseMs = settings.leaseSeconds * 1_000;
  const lost = new AbortController();
  const flight: LeasedFlight = {
    claim,
    signal: lost.signal,
    lost,
    leaseEndsAt: requestedAt + leaseMs,
    landed: Promise.resolve(),
    leaseIsSafe: () => settings.monotonic() < flight.leaseEndsAt - leaseMs / 3,
  };
  return flight;
}

type Settle = (settlement: Settlement) => Promise<Settled>;

async function fly(flight: LeasedFlight, settings: Settings, settle: Settle): Promise<void> {
  const { claim } = flight;
  const { observer, callTimeoutMs, maxAttempts, backoff, random, monotonic } = settings;
  const policy: RetryPolicy = { maxAttempts, backoff, random };
  const startedAt = monotonic();
  const outcome = await dispatchClaim(flight, destinationOf(claim, settings), { policy, callTimeoutMs });
  const latencyMs = monotonic() - startedAt;
  const settled = outcome && (await settleStubbornly({ ...claim, outcome, latencyMs }, settings, settle));
  if (!outcome || !settled) observer.abandoned?.(claim);
  else observer.settled?.(claim, outcome, { latencyMs, late: settled.kind === 'late' });
}

function destinationOf(claim: Claim, { destinations }: Settings): Destination {
  const destination = destinations[claim.railType];
  if (!destination) throw new Error(`claimed an instruction for ${claim.railType}, which was not asked for`);
  return destination;
}

/** A lost answer is no reason to give up: the store recognises an outcome that it already has. */
async function settleStubbornly(
  settlement: Settlement,
  settings: Settings,
  settle: Settle,
): Promise<Settled | undefined> {
  const never = new AbortController().signal;
  for (let attempt = 1; attempt <= settleAttempts; attempt += 1) {
    try {
      return await settle(settlement);
    } catch (error) {
      settings.observer.failed?.('settle', error);
      await pause(backoffDelay(attempt, databaseBackoff, settings.random), never);
    }
  }
  return undefined;
}
