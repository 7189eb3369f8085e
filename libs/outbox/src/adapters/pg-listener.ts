import { Client } from 'pg';
import { backoffDelay } from '../backoff.js';
import { pause } from '../pause.js';
import { loadStatements } from './statements.js';
import type { Run } from './statements.js';

const timeLimitMs = 5_000;
const probeEveryMs = 10_000;
const reconnect = { initialMs: 250, capMs: 10_000 };

/** Has the shape of a service's worker. */
export interface OutboxListener {
  readonly name: string;
  readonly maxBeatMs: number;
  run(signal: AbortSignal, beat: () => void): Promise<void>;
}

export interface OutboxListenerOptions {
  /** a direct connection: LISTEN does not pass through a transaction pooler */
  readonly url: string;
  readonly applicationName: string;
  /** called after every hint, and after every reconnect, since hints may have been missed */
  readonly onWake: () => void;
  readonly onError?: (error: unknown) => void;
  readonly random?: () => number;
}

/** Listens on a connection of its own and reconnects for ever. While it is down, polling still finds all work. */
export function createPgOutboxListener(options: OutboxListenerOptions): OutboxListener {
  const run = loadStatements();
  const random = options.random ?? Math.random;
  return {
    name: 'outbox-listener',
    maxBeatMs: 60_000,
    async run(signal, beat) {
      let failures = 0;
      const alive = (): void => {
        failures = 0;
        beat();
      };
      while (!signal.aborted) {
        try {
          await listenUntilLost(options, run, { signal, alive });
        } catch (error) {
          options.onError?.(error);
          failures += 1;
          beat();
          await pause(backoffDelay(failures, reconnect, random), signal);
        }
      }
    },
  };
}

async function listenUntilLost(
  options: OutboxListenerOptions,
  run: Run,
  { signal, alive }: { signal: AbortSignal; alive: () => void },
): Promise<void> {
  const client = new Client({
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: timeLimitMs,
    query_timeout: timeLimitMs,
    keepAlive: true,
  });
  const lost = new AbortController();
  client.on('error', (error) => lost.abort(error));
  client.on('end', () => lost.abort(new Error('the listening connection was closed')));
  client.on('notification', options.onWake);
  const ended = AbortSignal.any([signal, lost.signal]);
  try {
    await client.connect();
    await run(client, 'listen_for_work', []);
    options.onWake();
    while (!signal.aborted) {
      alive();
      await pause(probeEveryMs, ended);
      lost.signal.throwIfAborted();
      if (!signal.aborted) await run(client, 'probe_connection', []);
    }
  } finally {
    // A dead peer never confirms the goodbye.
    await Promise.race([client.end().catch(() => undefined), pause(1_000, AbortSignal.timeout(1_000))]);
  }
}
