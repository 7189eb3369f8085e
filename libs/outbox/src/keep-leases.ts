import { pause } from './pause.js';
import type { Lease, OutboxStore } from './ports.js';

/** A lease as its holder knows it. */
export interface HeldLease extends Lease {
  readonly signal: AbortSignal;
  readonly lost: AbortController;
  /** by the monotonic clock */
  endsAt: number;
  isSafe(): boolean;
}

export interface LeaseSettings {
  readonly store: Pick<OutboxStore, 'renew'>;
  readonly leaseSeconds: number;
  readonly monotonic: () => number;
  readonly observer: { failed?(step: 'renew', error: unknown): void };
}

/** The lease began in the database after `requestedAt`, so reckoning from there never overstates it. */
export function holdLease(
  { participantId, token }: Lease,
  requestedAt: number,
  { leaseSeconds, monotonic }: LeaseSettings,
): HeldLease {
  const leaseMs = leaseSeconds * 1_000;
  const lost = new AbortController();
  const lease: HeldLease = {
    participantId,
    token,
    signal: lost.signal,
    lost,
    endsAt: requestedAt + leaseMs,
    isSafe: () => !lost.signal.aborted && monotonic() < lease.endsAt - leaseMs / 3,
  };
  return lease;
}

/** Renews every lease three times in its life until the signal aborts; a holder whose lease is gone is told so. */
export async function keepLeases(
  leases: ReadonlySet<HeldLease>,
  settings: LeaseSettings,
  signal: AbortSignal,
): Promise<void> {
  const leaseMs = settings.leaseSeconds * 1_000;
  let failing = false;
  while (!signal.aborted) {
    await pause(failing ? leaseMs / 10 : leaseMs / 3, signal);
    if (signal.aborted || leases.size === 0) continue;
    try {
      await renewAll([...leases], settings, leaseMs);
      failing = false;
    } catch (error) {
      failing = true;
      settings.observer.failed?.('renew', error);
    }
    const now = settings.monotonic();
    for (const lease of leases) if (now >= lease.endsAt) lease.lost.abort();
  }
}

async function renewAll(
  leases: readonly HeldLease[],
  settings: LeaseSettings,
  leaseMs: number,
): Promise<void> {
  const requestedAt = settings.monotonic();
  const held = new Set((await settings.store.renew(leases, settings.leaseSeconds)).map(nameOf));
  for (const lease of leases) {
    if (held.has(nameOf(lease))) lease.endsAt = requestedAt + leaseMs;
    else lease.lost.abort();
  }
}

/** One process may hold two leases on a participant, one of them lost: the participant alone does not name a lease. */
function nameOf({ participantId, token }: Lease): string {
  return `${token}/${participantId}`;
}
