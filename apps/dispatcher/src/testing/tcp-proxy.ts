import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** Up is towards the server. */
type Way = 'up' | 'down';

/** The moment at which a connection freezes: before or after the bytes with this text have passed. */
export interface Moment {
  readonly way: Way;
  readonly text: string;
  readonly freeze: 'before' | 'after';
}

export interface Freeze {
  readonly isReached: () => boolean;
  /** Lets all pass that was kept back, and everything after it. */
  thaw(): void;
}

/** Stands between a process and one of its servers, to stop it at a moment that the bytes on the wire tell. */
export interface TcpProxy {
  readonly port: number;
  /** Freezes the first connection that comes to the moment, in both ways; what is on the way is kept back. */
  freezeAt(moment: Moment): Freeze;
  /** Breaks all connections and takes no new ones until `mend`. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

interface Link {
  readonly ends: Readonly<Record<Way, Socket>>;
  /** The last bytes that passed, since a text may come in two pieces. */
  readonly tails: Record<Way, Buffer>;
  kept: { way: Way; bytes: Buffer }[] | undefined;
}

interface Watch {
  readonly moment: Moment;
  reach(link: Link): void;
}

export async function openTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const links = new Set<Link>();
  const watches = new Set<Watch>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) client.destroy();
    else openLink(client, connect(target), { links, watches });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = () => links.forEach((link) => link.ends.down.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    freezeAt: (moment) => watchFor(watches, moment),
    cut() {
      isCut = true;
      breakAll();
    },
    mend() {
      isCut = false;
    },
    async close() {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}

function watchFor(watches: Set<Watch>, moment: Moment): Freeze {
  let frozen: Link | undefined;
  const watch: Watch = {
    moment,
    reach(link) {
      watches.delete(watch);
      frozen = link;
    },
  };
  watches.add(watch);
  return {
    isReached: () => frozen !== undefined,
    thaw() {
      frozen?.kept?.forEach(({ way, bytes }) => frozen?.ends[way].write(bytes));
      if (frozen) frozen.kept = undefined;
    },
  };
}

function openLink(client: Socket, server: Socket, all: { links: Set<Link>; watches: Set<Watch> }): void {
  const link: Link = {
    ends: { up: server, down: client },
    tails: { up: Buffer.alloc(0), down: Buffer.alloc(0) },
    kept: undefined,
  };
  all.links.add(link);
  client.on('data', (bytes) => pass(link, { way: 'up', bytes }, all.watches));
  server.on('data', (bytes) => pass(link, { way: 'down', bytes }, all.watches));
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.setNoDelay();
    one.on('error', () => one.destroy());
    // What was kept back is never sent: to the server, a killed process has said no more.
    one.on('close', () => {
      other.destroy();
      all.links.delete(link);
    });
  }
}

function pass(link: Link, piece: { way: Way; bytes: Buffer }, watches: Set<Watch>): void {
  const { way, bytes } = piece;
  if (link.kept) {
    link.kept.push(piece);
    return;
  }
  const seen = Buffer.concat([link.tails[way], bytes]);
  const watch = [...watches].find(({ moment }) => moment.way === way && seen.includes(moment.text));
  link.tails[way] = Buffer.from(seen.subarray(-100));
  const isHeldBack = watch?.moment.freeze === 'before';
  if (!isHeldBack) link.ends[way].write(bytes);
  if (!watch) return;
  link.kept = isHeldBack ? [piece] : [];
  watch.reach(link);
}
