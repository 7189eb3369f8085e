import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Relayer } from './processes.js';
import type { Endpoint } from './subscriptions.js';
import { eventJson } from './events.js';

export interface Offered {
  /** When each event was offered to the API, in ms since 1970, by its id. */
  readonly offeredAt: ReadonlyMap<string, number>;
  readonly typeOf: ReadonlyMap<string, string>;
  /** From the offer to the 202, in ms. */
  readonly acceptMs: readonly number[];
  readonly refused: number;
}

export interface Load {
  readonly ratePerSecond: number;
  readonly seconds: number;
  readonly prefix: string;
  readonly endpoints: readonly Endpoint[];
}

const tickMs = 5;

/** Offers events at their times, whether or not earlier ones have been answered: a slow service is not spared. */
export async function offerEvents(relayer: Relayer, load: Load): Promise<Offered> {
  const agent = new Agent({ connections: 64 });
  const [offeredAt, typeOf] = [new Map<string, number>(), new Map<string, string>()];
  const acceptMs: number[] = [];
  let refused = 0;
  const offer = async (id: string, type: string): Promise<void> => {
    const body = eventJson(id, type);
    const at = Date.now();
    offeredAt.set(id, at);
    typeOf.set(id, type);
    const headers = { 'content-type': 'application/json' };
    const answer = await request(`${relayer.url}/events`, {
      dispatcher: agent,
      method: 'POST',
      headers,
      body,
    });
    await answer.body.dump();
    if (answer.statusCode === 202) acceptMs.push(Date.now() - at);
    else refused += 1;
  };
  const offers: Promise<void>[] = [];
  const total = Math.round(load.ratePerSecond * load.seconds);
  const began = performance.now();
  while (offers.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - began) * load.ratePerSecond) / 1_000));
    while (offers.length < due) {
      const type = load.endpoints[offers.length % load.endpoints.length]?.type ?? '';
      offers.push(
        offer(`${load.prefix}-${offers.length}`, type).catch(() => {
          refused += 1;
        }),
      );
    }
    await sleep(tickMs);
  }
  await Promise.all(offers);
  await agent.close();
  return { offeredAt, typeOf, acceptMs, refused };
}

/** From the offer to the arrival, for the events that the filter lets through. */
export function delaysOf(
  offered: Offered,
  firstAt: ReadonlyMap<string, number>,
  isCounted: (type: string) => boolean = () => true,
): { readonly delays: number[]; readonly missing: number } {
  const delays: number[] = [];
  let missing = 0;
  for (const [id, at] of offered.offeredAt) {
    if (!isCounted(offered.typeOf.get(id) ?? '')) continue;
    const arrived = firstAt.get(id);
    if (arrived === undefined) missing += 1;
    else delays.push(Math.max(0, arrived - at));
  }
  return { delays, missing };
}
