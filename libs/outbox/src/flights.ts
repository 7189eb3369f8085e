import { backoffDelay } from './backoff.js';
import { deliverRun } from './deliver-run.js';
import { holdLease, keepLeases } from './keep-leases.js';
import type { HeldLease } from './keep-leases.js';
import { createPace } from './pace.js';
import { pause } from './pause.js';
import type { Claim, Outcome, Settled, Settlement } from './ports.js';
import type { Settings } from './relay-options.js';
import { settleInBatches } from './settle-in-batches.js';
import { createSlots } from './slots.js';
import type { Wanted } from './slots.js';

export interface Flights {
  wanted(): Wanted | undefined;
  /** `isAll`: the claim found less than it was allowed to, so room alone is no reason to claim again */
  launch(
    runs: readonly (readonly Claim[])[],
    claimed: { readonly requestedAt: number; readonly isAll: boolean },
  ): void;
  /** resolves when everything has landed and is settled */
  land(): Promise<void>;
}

const databaseBackoff = { initialMs: 100, capMs: 5_000 };
const settleAttempts = 8;
const mostInOneSettle = 1_000;

/** Everything that a relay has in the air, with its leases and its outcomes on the way to the database. */
export function createFlights(
  settings: Settings,
  { stopping, onRoom }: { readonly stopping: AbortSignal; readonly onRoom: () => void },
): Flights {
  const { destinations, run } = settings;
  const railTypes = Object.keys(destinations);
  const paces = new Map(railTypes.map((railType) => [railType, createPace(run)]));
  const slots = createSlots({ ...settings, paces });
  const settle = createSettle(settings);
  const leases = new Set<HeldLease>();
  const flying = new Set<Promise<void>>();
  const landed = new AbortController();
  const keeping = keepLeases(leases, settings, landed.signal);
  let mayBeMore = false;

  async function fly(claims: readonly Claim[], requestedAt: number): Promise<void> {
    const [head] = claims;
    const destination = head && destinations[head.railType];
    if (!destination)
      throw new Error(`claimed an instruction for ${head?.railType}, which was not asked for`);
    const lease = holdLease(head, requestedAt, settings);
    const freeSlot = slots.take(head.railType);
    const settling: Promise<void>[] = [];
    leases.add(lease);
    await deliverRun(claims, {
      ...settings,
      ...{ destination, lease, stopping, policy: settings, budgetMs: run.budgetMs },
      abandon: (claim) => settings.observer.abandoned?.(claim),
      report(claim, outcome, latencyMs) {
        if (outcome.kind !== 'deferred') paces.get(claim.railType)?.observe(latencyMs);
        settling.push(settle(claim, outcome, latencyMs));
      },
    });
    freeSlot();
    if (mayBeMore) onRoom();
    await Promise.all(settling);
    leases.delete(lease);
    onRoom();
  }

  return {
    // Twice as many as can be sent at once may wait for their outcomes to be written, not more.
    wanted: () => (leases.size < 2 * settings.concurrency ? slots.wanted() : undefined),
    launch(runs, { requestedAt, isAll }) {
      mayBeMore = !isAll;
      for (const claims of runs) {
        const flight = fly(claims, requestedAt).finally(() => flying.delete(flight));
        flying.add(flight);
      }
    },
    async land() {
      await Promise.all(flying);
      landed.abort();
      await keeping;
    },
  };
}

type Settle = (claim: Claim, outcome: Outcome, latencyMs: number) => Promise<void>;

function createSettle(settings: Settings): Settle {
  const { observer, random, store } = settings;
  const settle = settleInBatches(store, mostInOneSettle);
  const never = new AbortController().signal;

  /** A lost answer is no reason to give up: the store recognises an outcome that it already has. */
  async function stubbornly(settlement: Settlement): Promise<Settled | undefined> {
    for (let attempt = 1; attempt <= settleAttempts; attempt += 1) {
      try {
        return await settle(settlement);
      } catch (error) {
        observer.failed?.('settle', error);
        await pause(backoffDelay(attempt, databaseBackoff, random), never);
      }
    }
    return undefined;
  }

  return async (claim, outcome, latencyMs) => {
    const { outboxId, participantId, token } = claim;
    const settled = await stubbornly({ outboxId, participantId, token, outcome, latencyMs });
    if (settled) observer.settled?.(claim, outcome, { latencyMs, late: settled.kind === 'late' });
    else observer.abandoned?.(claim);
  };
}
