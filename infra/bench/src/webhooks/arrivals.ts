import { open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sink } from './processes.js';

/** What came in below a path, from the sink's own ledger. */
export interface Arrivals {
  /** When each event came first, in ms since 1970, by its id. */
  readonly firstAt: ReadonlyMap<string, number>;
  /** Requests with an id that had come before. */
  repeated(): number;
  /** Waits until so many events have come in all, or no more come for ten seconds. */
  waitFor(count: number): Promise<void>;
}

const lookEveryMs = 250;
const patienceMs = 10_000;
const line = /^\{"at":"([^"]+)","path":"([^"]+)".*"webhook-id":"([^"]+)"/;

/** Reads on where it left off, so that looking costs little while others are being measured. */
export function followArrivals(
  sink: Sink,
  path: string,
  isCounted: (hook: string) => boolean = () => true,
): Arrivals {
  const firstAt = new Map<string, number>();
  let repeated = 0;
  let offset = 0;
  let rest = '';

  const note = (text: string): void => {
    const [, at, hook, id] = line.exec(text) ?? [];
    if (at === undefined || id === undefined || hook?.startsWith(`${path}/`) !== true) return;
    if (!isCounted(hook)) return;
    if (firstAt.has(id)) repeated += 1;
    else firstAt.set(id, Date.parse(at));
  };
  const readOn = async (): Promise<void> => {
    const file = await open(sink.ledgerFile, 'r');
    try {
      const { size } = await file.stat();
      const bytes = Buffer.alloc(size - offset);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
      offset += bytesRead;
      const lines = (rest + bytes.subarray(0, bytesRead).toString('latin1')).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(note);
    } finally {
      await file.close();
    }
  };

  return {
    firstAt,
    repeated: () => repeated,
    async waitFor(count) {
      let last = { size: firstAt.size, at: performance.now() };
      for (;;) {
        await readOn();
        if (firstAt.size >= count) return;
        if (firstAt.size > last.size) last = { size: firstAt.size, at: performance.now() };
        if (performance.now() - last.at > patienceMs) return;
        await sleep(lookEveryMs);
      }
    },
  };
}
