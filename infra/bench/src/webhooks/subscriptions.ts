import type { Relayer } from './processes.js';

export interface Endpoint {
  readonly type: string;
  readonly url: string;
}

/** So many endpoints below one path, each with a type of events of its own. */
export function endpointsBelow(base: string, count: number, prefix: string): Endpoint[] {
  return Array.from({ length: count }, (_, at) => ({ type: `${prefix}.n${at}`, url: `${base}/${at}` }));
}

export async function subscribeAll(relayer: Relayer, endpoints: readonly Endpoint[]): Promise<void> {
  for (const { type, url } of endpoints) {
    const response = await fetch(`${relayer.url}/subscriptions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url, eventTypes: [type] }),
    });
    if (response.status !== 201) throw new Error(`a subscription was refused: ${await response.text()}`);
  }
}
