import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SlotStoreUnavailableError } from '@sluice/rate-window';
import { backoffDelay, pause } from '@sluice/service-kit';
import type { Logger, Worker } from '@sluice/service-kit';
import type { Pool, PoolClient } from '@sluice/service-kit/pg';
import type { Announcements, Notice } from '../ports.js';

const probeEveryMs = 10_000;
const reconnect = { initialMs: 250, capMs: 10_000, random: Math.random };

/** Notices by NOTIFY: every node that listens on this database hears them. */
export function createPgAnnouncements(pool: Pool): Announcements {
  const announceNotice = statement('announce_notice');
  return {
    async announce(notice) {
      try {
        await pool.query(announceNotice, [notice.kind === 'changed' ? notice.configName : '']);
        return true;
      } catch (error) {
        throw new SlotStoreUnavailableError(error);
      }
    },
  };
}

interface ListenerOptions {
  /** One connection is taken from it for good; it has to be a direct one, LISTEN does not pass a transaction pooler. */
  readonly pool: Pool;
  /** Also called with a flush after every connect: what was announced before was not heard. */
  readonly onNotice: (notice: Notice) => void;
  readonly log: Logger;
}

/** Hears notices on a connection of its own, and connects again for as long as the service runs. */
export function pgNoticeListener(options: ListenerOptions): Worker {
  return {
    name: 'notice-listener',
    maxBeatMs: 60_000,
    async run(signal, beat) {
      let failures = 0;
      const alive = (): void => {
        failures = 0;
        beat();
      };
      while (!signal.aborted) {
        try {
          await listenUntilLost(options, signal, alive);
        } catch (err) {
          failures += 1;
          options.log.warn({ err, failures }, 'notices of other nodes are not heard; connecting again');
          beat();
          await pause(backoffDelay(failures, reconnect), signal);
        }
      }
    },
  };
}

async function listenUntilLost(
  { pool, onNotice }: ListenerOptions,
  signal: AbortSignal,
  alive: () => void,
): Promise<void> {
  const client = await pool.connect();
  const lost = new AbortController();
  client.on('error', (error) => lost.abort(error));
  client.on('end', () => lost.abort(new Error('the listening connection was closed')));
  client.on('notification', ({ payload }) =>
    onNotice(payload ? { kind: 'changed', configName: payload } : { kind: 'flush' }),
  );
  try {
    await client.query(statement('listen_for_notices'));
    onNotice({ kind: 'flush' });
    await probeUntilLost(client, { signal, lost: lost.signal, alive });
  } finally {
    // Never back into the pool: a connection that listens is of no use to anybody else.
    client.release(true);
  }
}

async function probeUntilLost(
  client: PoolClient,
  { signal, lost, alive }: { signal: AbortSignal; lost: AbortSignal; alive: () => void },
): Promise<void> {
  const probe = statement('probe_connection');
  const ended = AbortSignal.any([signal, lost]);
  while (!signal.aborted) {
    alive();
    await pause(probeEveryMs, ended);
    lost.throwIfAborted();
    if (!signal.aborted) await client.query(probe);
  }
}

function statement(name: string): string {
  return readFileSync(join(__dirname, 'sql', 'pg', `${name}.sql`), 'utf8');
}
