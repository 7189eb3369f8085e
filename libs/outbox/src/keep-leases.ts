import type { Flight } from './dispatch-claim.js';
import { leaseKey } from './lease-key.js';
import { pause } from './pause.js';
import type { OutboxStore } from './ports.js';

export interface LeasedFlight extends Flight {
  readonly lost: AbortController;
  /** by the monotonic clock */
  leaseEndsAt: number;
  landed: Promise<void>;
}

interface LeaseSettings {
  readonly store: OutboxStore;
  readonly leaseSeconds: number;
  readonly monotonic: () => number;
  readonly observer: { failed?(step: 'renew', error: unknown): void };
}

/** Renews every lease three times in its life until the signal aborts; a flight whose lease is gone is told so. */
export async function keepLeases(
  flights: ReadonlySet<LeasedFlight>,
  settings: LeaseSettings,
  signal: AbortSignal,
): Promise<void> {
  const leaseMs = settings.leaseSeconds * 1_000;
  let failing = false;
  while (!signal.aborted) {
    await pause(failing ? leaseMs / 10 : leaseMs / 3, signal);
    if (signal.aborted || flights.size === 0) continue;
    try {
      await renewAll([...flights], settings, leaseMs);
      failing = false;
    } catch (error) {
      failing = true;
      settings.observer.failed?.('renew', error);
    }
    const now = settings.monotonic();
    for (const flight of flights) if (now >= flight.leaseEndsAt) flight.lost.abort();
  }
}

async function renewAll(
  flights: readonly LeasedFlight[],
  settings: LeaseSettings,
  leaseMs: number,
): Promise<void> {
  const requestedAt = settings.monotonic();
  const leases = flights.map(({ claim }) => claim);
  const held = new Set((await settings.store.renew(leases, settings.leaseSeconds)).map(leaseKey));
  for (const flight of flights) {
    if (held.has(leaseKey(flight.claim))) flight.leaseEndsAt = requestedAt + leaseMs;
    else flight.lost.abort();
  }
}
