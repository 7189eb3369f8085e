import { uuidv7 } from 'uuidv7';
import { backoffDelay } from './backoff.js';
import { createFlights } from './flights.js';
import type { Flights } from './flights.js';
import { createLatch } from './latch.js';
import type { Latch } from './latch.js';
import type { RelayOptions, Settings } from './relay-options.js';
import { settingsOf } from './relay-options.js';

/** Has the shape of a service's worker. */
export interface Relay {
  readonly name: string;
  readonly maxBeatMs: number;
  /** claims and sends until the signal aborts, then finishes what is being sent and gives the rest back */
  run(signal: AbortSignal, beat: () => void): Promise<void>;
  /** there may be work: claim now instead of at the next poll */
  wake(): void;
}

const databaseBackoff = { initialMs: 100, capMs: 5_000 };

export function createRelay(options: RelayOptions): Relay {
  const settings = settingsOf(options);
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
  const { pollIntervalMs, random, observer } = settings;
  const flights = createFlights(settings, { stopping: signal, onRoom: latch.open });
  let failures = 0;
  while (!signal.aborted) {
    beat();
    try {
      await claimAndLaunch(settings, flights);
      failures = 0;
    } catch (error) {
      failures += 1;
      observer.failed?.('claim', error);
    }
    const rest = failures > 0 ? backoffDelay(failures, databaseBackoff, random) : pollIntervalMs;
    await latch.wait(rest, signal);
  }
  await flights.land();
}

async function claimAndLaunch(settings: Settings, flights: Flights): Promise<void> {
  const { store, leaseSeconds, monotonic, observer } = settings;
  const wanted = flights.wanted();
  if (!wanted) return;
  const requestedAt = monotonic();
  const claims = await store.claim({ ...wanted, leaseSeconds, token: uuidv7() });
  if (claims.length > 0) observer.claimed?.(claims);
  const runs = Map.groupBy(claims, (claim) => claim.participantId);
  flights.launch([...runs.values()], { requestedAt, isAll: runs.size < wanted.limit });
}
