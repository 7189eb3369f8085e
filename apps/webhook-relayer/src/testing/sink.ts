import { randomUUID } from 'node:crypto';
import { until } from './until.js';

export interface SinkLine {
  readonly at: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly status: number | null;
}

/** A place of its own at the webhook sink: a path, what it answers, and what came in. */
export interface Hook {
  readonly url: string;
  /** What it answers from now on; without any it is 200. */
  behave(...behaviours: readonly object[]): Promise<void>;
  received(): Promise<readonly SinkLine[]>;
  /** Waits for so many requests. */
  arrived(count: number): Promise<readonly SinkLine[]>;
}

export function openHook(sinkUrl: string, prefix: string): Hook {
  const name = randomUUID();
  const path = `/hooks/${prefix}/${name}`;
  const received = async (): Promise<readonly SinkLine[]> => {
    const text = await (await fetch(`${sinkUrl}/ledger?path=${path}`)).text();
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as SinkLine);
  };
  return {
    url: sinkUrl + path,
    received,
    arrived: (count) =>
      until(`${count} requests at ${path}`, async () => {
        const lines = await received();
        return lines.length >= count ? lines : undefined;
      }),
    async behave(...behaviours) {
      const response = await fetch(`${sinkUrl}/control/behaviours?scope=${name}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(behaviours.map((behaviour) => ({ path, ...behaviour }))),
      });
      if (!response.ok) throw new Error(`the sink refused the behaviours: ${response.status}`);
    },
  };
}
