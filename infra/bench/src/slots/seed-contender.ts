import { connectPool, dropDatabase, onDatabase, urlOf } from '../databases.js';
import { callers, connections, inLanes, instant, rateLimit, type Contender } from './contender.js';
import { loadSql } from './load-sql.js';

/** Windows that it searches beyond the first open one before it refuses; its default. */
const headroom = 100;

/** The algorithm that ours replaces: one transaction an event, a lock with NOWAIT, and a walk. No HTTP before it. */
export const seedAlgorithm: Contender = {
  name: '(a) one transaction an event, NOWAIT and walk',
  percent: 10,
  async open(server, name) {
    await onDatabase(server.url, `CREATE DATABASE ${name}`);
    const url = urlOf(server.url, name);
    await onDatabase(url, loadSql('create_seed_limiter'));
    const pool = connectPool(url, connections);
    const assign = loadSql('seed_assign');
    const { maxPerWindow, windowSizeMs } = rateLimit;
    return {
      async place(eventIds) {
        let refused = 0;
        await inLanes(callers, eventIds, async (eventId) => {
          const jitter = Math.floor(Math.random() * windowSizeMs);
          const { rows } = await pool.query<{ scheduled_time: Date | null }>(assign, [
            ...[eventId, instant, jitter, jitter, maxPerWindow, windowSizeMs, headroom],
          ]);
          if (!rows[0]?.scheduled_time) refused += 1;
        });
        return { refused };
      },
      async fill() {
        const { rows } = await pool.query<{ slots: number }>(
          'SELECT count(*)::integer AS slots FROM seed_event_slot GROUP BY window_start ORDER BY window_start',
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
