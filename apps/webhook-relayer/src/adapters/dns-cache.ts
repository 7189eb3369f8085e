import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';

/** The addresses of a name, as `dns.lookup` finds them with `all`. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: Resolve = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

export interface DnsCacheOptions {
  readonly resolve?: Resolve;
  readonly now?: () => number;
  /** How long an answer holds. Short: endpoints move, and the guard judges each use anyway. */
  readonly ttlMs?: number;
  readonly failureTtlMs?: number;
  /** `dns.lookup` blocks one of libuv's four threads for as long as a resolver is slow; one stays free for everything else. */
  readonly maxLookups?: number;
  readonly maxNames?: number;
}

interface Entry {
  readonly addresses: Promise<readonly LookupAddress[]>;
  until: number;
}

/** Asks for each name once at a time and remembers the answer for a moment, so that slow names do not hold up the others. */
export function createDnsCache(options: DnsCacheOptions = {}): Resolve {
  const {
    resolve = systemResolve,
    now = () => performance.now(),
    ttlMs = 10_000,
    failureTtlMs = 1_000,
  } = options;
  const { maxNames = 10_000 } = options;
  const entries = new Map<string, Entry>();
  const inTurn = createTurns(options.maxLookups ?? 3);

  const ask = (hostname: string): Entry => {
    const addresses = inTurn(() => resolve(hostname));
    // Until it is answered everybody waits for the same answer.
    const entry: Entry = { addresses, until: Number.POSITIVE_INFINITY };
    addresses.then(
      () => void (entry.until = now() + ttlMs),
      () => void (entry.until = now() + failureTtlMs),
    );
    return entry;
  };

  return (hostname) => {
    const known = entries.get(hostname);
    if (known !== undefined && known.until > now()) return known.addresses;
    entries.delete(hostname);
    const [oldest] = entries.keys();
    if (entries.size >= maxNames && oldest !== undefined) entries.delete(oldest);
    const entry = ask(hostname);
    entries.set(hostname, entry);
    return entry.addresses;
  };
}

/** Lets so many pieces of work run at one time; the others wait in line. */
function createTurns(places: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = places;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
