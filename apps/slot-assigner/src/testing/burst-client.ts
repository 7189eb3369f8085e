import { setTimeout as sleep } from 'node:timers/promises';
import type { EventWish } from './wishes.js';

export interface Burst {
  /** What each event was told, every time that it was told something. */
  readonly told: ReadonlyMap<string, ReadonlySet<string>>;
  /** Batches that were answered with 200. */
  answered(): number;
  /** Requests that failed or were refused, and were sent again. */
  repeated(): number;
  /** Resolves when every event has been told its slot. */
  readonly done: Promise<void>;
}

interface Options {
  readonly configName: string;
  readonly batches: readonly (readonly EventWish[])[];
  readonly senders: number;
  /** Where the next request goes. */
  readonly url: () => string;
}

const repeatAfterMs = 50;

/** A producer that sends all batches and repeats each until it is answered. */
export function sendBurst({ configName, batches, senders, url }: Options): Burst {
  const told = new Map<string, Set<string>>();
  let next = 0;
  let answered = 0;
  let repeated = 0;

  async function send(events: readonly EventWish[]): Promise<boolean> {
    try {
      const response = await fetch(`${url()}/api/v1/slots/batch`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ configName, events }),
        signal: AbortSignal.timeout(30_000),
      });
      const { slots } = (await response.json()) as { slots?: { eventId: string; scheduledTime: string }[] };
      if (response.status !== 200 || slots === undefined) return false;
      for (const { eventId, scheduledTime } of slots) {
        told.set(eventId, (told.get(eventId) ?? new Set()).add(scheduledTime));
      }
      return true;
    } catch {
      // A node that was killed answers nothing.
      return false;
    }
  }

  const sender = async (): Promise<void> => {
    for (let events = batches[next++]; events !== undefined; events = batches[next++]) {
      while (!(await send(events))) {
        repeated += 1;
        await sleep(repeatAfterMs);
      }
      answered += 1;
    }
  };
  const done = Promise.all(Array.from({ length: senders }, sender)).then(() => undefined);
  return { told, answered: () => answered, repeated: () => repeated, done };
}
