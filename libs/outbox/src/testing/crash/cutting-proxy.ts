import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** Stands before PostgreSQL and breaks a connection at a moment that the bytes on the wire tell. */
export interface CuttingProxy {
  /** the database's address through the proxy */
  readonly url: string;
  /**
   * Cuts the connection whose request has this text: `before` it reaches the server, or `after`, when the answer comes back
   * and so the statement is committed.
   */
  cutAt(text: string, side: 'before' | 'after'): void;
  cutAll(): void;
  close(): Promise<void>;
}

export async function openCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const address = new URL(databaseUrl);
  const { port, hostname } = address;
  const links = new Set<Socket>();
  let plan: { readonly text: string; readonly side: 'before' | 'after' } | undefined;

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let isDoomed = false;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
      links.delete(client);
    };
    links.add(client);
    client.on('data', (bytes) => {
      const isMeant = plan !== undefined && bytes.includes(plan.text);
      if (isMeant && plan?.side === 'before') {
        plan = undefined;
        return end();
      }
      if (isMeant) {
        plan = undefined;
        isDoomed = true;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => (isDoomed ? end() : client.write(bytes)));
    for (const socket of [client, upstream]) {
      socket.setNoDelay();
      socket.on('error', end);
      socket.on('close', end);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cutAll = (): void => links.forEach((link) => link.destroy());
  return {
    url: address.href,
    cutAt: (text, side) => (plan = { text, side }),
    cutAll,
    async close() {
      cutAll();
      server.close();
      await once(server, 'close');
    },
  };
}
