import { Redis } from 'ioredis';
import type { Pool } from 'pg';
import {
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import { connectPool, dropDatabase, onDatabase, urlOf } from '../databases.js';
import { callers, connections, inLanes, instant, rateLimit, type Contender } from './contender.js';
import { loadSql } from './load-sql.js';

const { maxPerWindow, windowSizeMs } = rateLimit;
const options = {
  points: maxPerWindow,
  // A counter has to live until its window is over, however far ahead that is.
  duration: 366 * 24 * 3_600,
  // Its own way not to ask the store again for a key that it has seen exhausted: the walk over full windows is in memory.
  inMemoryBlockOnConsumed: maxPerWindow,
};

/**
 * What a user has to build around a limiter that only says yes or no, for a slot in the future that is kept: look whether
 * the event has a slot, walk over the windows until one says yes, keep the slot; all of it outside of any transaction.
 */
interface SlotKeeper {
  isKnown(eventId: string): Promise<boolean>;
  /** False when the event has got another slot in between. */
  keep(eventId: string, windowNo: number, slotNo: number): Promise<boolean>;
}

async function placeOne(limiter: RateLimiterAbstract, keeper: SlotKeeper, eventId: string): Promise<void> {
  if (await keeper.isKnown(eventId)) return;
  for (let windowNo = 0; ; windowNo += 1) {
    try {
      const { consumedPoints } = await limiter.consume(`w${windowNo}`);
      if (!(await keeper.keep(eventId, windowNo, consumedPoints))) await limiter.reward(`w${windowNo}`);
      return;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
    }
  }
}

function scheduledTime(windowNo: number, slotNo: number): Date {
  const offsetMs = ((slotNo - 1) * windowSizeMs) / maxPerWindow;
  return new Date(instant.getTime() + windowNo * windowSizeMs + offsetMs);
}

export const flexibleOnPostgres: Contender = {
  name: '(d) rate-limiter-flexible on PostgreSQL',
  percent: 10,
  async open(server, name) {
    await onDatabase(server.url, `CREATE DATABASE ${name}`);
    const url = urlOf(server.url, name);
    await onDatabase(url, loadSql('create_flexible_slots'));
    const pool = connectPool(url, connections);
    const limiter = await createPostgresLimiter(pool);
    const insert = loadSql('insert_flexible_slot');
    const keeper: SlotKeeper = {
      async isKnown(eventId) {
        const { rowCount } = await pool.query('SELECT 1 FROM flexible_slot WHERE event_id = $1', [eventId]);
        return rowCount === 1;
      },
      async keep(eventId, windowNo, slotNo) {
        const values = [eventId, windowNo, slotNo, scheduledTime(windowNo, slotNo)];
        return (await pool.query(insert, values)).rowCount === 1;
      },
    };
    return {
      async place(eventIds) {
        await inLanes(callers, eventIds, (eventId) => placeOne(limiter, keeper, eventId));
        return { refused: 0 };
      },
      async fill() {
        const { rows } = await pool.query<{ slots: number }>(
          'SELECT count(*)::integer AS slots FROM flexible_slot GROUP BY window_no ORDER BY window_no',
        );
        return rows.map(({ slots }) => slots);
      },
      async close() {
        await pool.end();
        await dropDatabase(server.url, name);
      },
    };
  },
};

function createPostgresLimiter(pool: Pool): Promise<RateLimiterAbstract> {
  return new Promise((resolve, reject) => {
    const limiter: RateLimiterAbstract = new RateLimiterPostgres(
      {
        ...options,
        storeClient: pool,
        storeType: 'pool',
        tableName: 'flexible_limit',
        clearExpiredByTimeout: false,
      },
      (error?: Error) => (error === undefined ? resolve(limiter) : reject(error)),
    );
  });
}

export const flexibleOnRedis: Contender = {
  name: '(d) rate-limiter-flexible on Redis, synced to disk',
  percent: 10,
  async open({ stack }, name) {
    const redis = new Redis(stack.addresses.redisUrl, { maxRetriesPerRequest: 1 });
    // An answer that a crash can take back is no slot.
    await redis.config('SET', 'appendonly', 'yes');
    await redis.config('SET', 'appendfsync', 'always');
    const limiter = new RateLimiterRedis({ ...options, storeClient: redis, keyPrefix: name });
    const keeper: SlotKeeper = {
      isKnown: async (eventId) => (await redis.exists(`${name}:event:${eventId}`)) === 1,
      async keep(eventId, windowNo, slotNo) {
        const slot = `${windowNo} ${slotNo} ${scheduledTime(windowNo, slotNo).toISOString()}`;
        return (await redis.set(`${name}:event:${eventId}`, slot, 'NX')) === 'OK';
      },
    };
    return {
      async place(eventIds) {
        await inLanes(callers, eventIds, (eventId) => placeOne(limiter, keeper, eventId));
        return { refused: 0 };
      },
      async fill() {
        const slots = new Map<number, number>();
        let cursor = '0';
        do {
          const [next, keys] = await redis.scan(cursor, 'MATCH', `${name}:event:*`, 'COUNT', 1_000);
          cursor = next;
          for (const slot of keys.length === 0 ? [] : await redis.mget(keys)) {
            const windowNo = Number(slot?.split(' ')[0]);
            slots.set(windowNo, (slots.get(windowNo) ?? 0) + 1);
          }
        } while (cursor !== '0');
        return [...slots].toSorted(([one], [other]) => one - other).map(([, count]) => count);
      },
      async close() {
        await redis.flushall();
        await redis.quit();
      },
    };
  },
};
