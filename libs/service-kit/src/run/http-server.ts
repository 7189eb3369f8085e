import { STATUS_CODES, createServer } from 'node:http';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Drainable } from './drainable.js';

export interface HttpServer extends Drainable {
  readonly port: number;
}

export interface HttpServerOptions {
  readonly name: string;
  readonly listener: RequestListener;
  readonly host: string;
  readonly port: number;
}

const LIMITS = {
  // A client that sends slowly on purpose holds a connection for so long and no longer.
  headersTimeout: 10_000,
  // The time for a body is the edge's own: an upload may take longer than any request should.
  requestTimeout: 0,
  // Longer than the 60 s after which load balancers close idle connections, so that it is never us who closes
  // while a request is on its way.
  keepAliveTimeout: 72_000,
  connectionsCheckingInterval: 5_000,
};

/** Listens, or rejects with an error that names the port. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const active = new Set<ServerResponse>();
  let draining = false;
  const server = createServer(LIMITS, (request, response) => {
    if (draining) response.setHeader('connection', 'close');
    active.add(response);
    response.once('close', () => {
      active.delete(response);
      // An answer that had begun before the drain leaves a connection that waits for a next request.
      if (draining) setImmediate(() => server.closeIdleConnections());
    });
    options.listener(request, response);
  });
  server.on('clientError', answerClientError);
  await listen(server, options);

  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  return {
    name: options.name,
    port: portOf(server),
    stopped,
    stop() {
      if (draining) return;
      draining = true;
      for (const response of active) if (!response.headersSent) response.setHeader('connection', 'close');
      server.close(() => resolve());
      server.closeIdleConnections();
    },
    abandon: () => server.closeAllConnections(),
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function listen(server: Server, { name, host, port }: HttpServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = cause.code === 'EADDRINUSE' ? 'another process listens there' : cause.message;
      reject(new Error(`${name} cannot listen on ${host}:${port}: ${reason}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

/** What is not HTTP, or comes too slowly, never reaches a route; it is answered in the form of all other problems. */
function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code ?? ''] ?? 400;
  const title = STATUS_CODES[status] ?? '';
  const code = title.toUpperCase().replaceAll(' ', '_');
  const type = `urn:sluice:problem:${code.toLowerCase().replaceAll('_', '-')}`;
  const body = JSON.stringify({
    type,
    title,
    status,
    detail: 'The request could not be read as HTTP.',
    code,
  });
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}
