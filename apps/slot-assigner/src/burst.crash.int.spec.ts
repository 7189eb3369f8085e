import { sendBurst } from './testing/burst-client.js';
import { startNodeProcess } from './testing/node-process.js';
import type { NodeProcess } from './testing/node-process.js';
import { connectTestPool } from './testing/test-pool.js';
import { until } from './testing/until.js';
import { NOON, herd } from './testing/wishes.js';

const variables = { PG_URL: process.env['PG_URL'] ?? '', SLUICE_RETENTION: 'false' };
const batchSize = 500;
const longest = 180_000;

describe('a burst for one instant', () => {
  const pool = connectTestPool(process.env['PG_URL']);
  const nodes: NodeProcess[] = [];

  beforeAll(async () => {
    nodes.push(...(await Promise.all([startNodeProcess(variables), startNodeProcess(variables)])));
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.kill()));
    await pool.end();
  });

  async function setConfig(configName: string, maxPerWindow: number): Promise<void> {
    const response = await fetch(`${nodes[0]?.url}/admin/rate-limit/config`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ configName, maxPerWindow, windowSize: 'PT1S' }),
    });
    expect(response.status).toBe(200);
  }

  function send(configName: string, events: number) {
    const wishes = herd(events, configName);
    const batches = Array.from({ length: events / batchSize }, (_, index) =>
      wishes.slice(index * batchSize, (index + 1) * batchSize),
    );
    let turn = 0;
    return sendBurst({ configName, batches, senders: 8, url: () => nodes[turn++ % 2]?.url ?? '' });
  }

  /** Our own look at the tables: every event once, and what it was told is what is written. */
  async function expectKept(configName: string, told: ReadonlyMap<string, ReadonlySet<string>>) {
    const { rows } = await pool.query<{ event_id: string; scheduled_time: Date }>(
      'select event_id, scheduled_time from rate_limit_slot where config_name = $1',
      [configName],
    );
    expect(rows).toHaveLength(told.size);
    const differing = rows.filter(({ event_id, scheduled_time }) => {
      const answers = [...(told.get(event_id) ?? [])];
      return answers.length !== 1 || answers[0] !== scheduled_time.toISOString();
    });
    expect(differing).toEqual([]);
  }

  async function windows(configName: string) {
    const { rows } = await pool.query<{ start_ms: number; slots: number; numbers: number }>(
      `select extract(epoch from window_start)::float8 * 1000 as start_ms,
              count(*)::integer as slots, count(distinct slot_no)::integer as numbers
         from rate_limit_slot where config_name = $1 group by window_start order by window_start`,
      [configName],
    );
    return rows;
  }

  it(
    'of 100,000 events survives two nodes that are killed in its middle: none lost, none doubled, no window too full',
    async () => {
      const events = 100_000;
      const batches = events / batchSize;
      await setConfig('burst', 1_000);
      const burst = send('burst', events);
      for (const [index, share] of [
        [0, 0.3],
        [1, 0.6],
      ] as const) {
        await until('part of it is answered', () => burst.answered() >= share * batches, longest);
        await nodes[index]?.kill();
        nodes[index] = await startNodeProcess(variables);
      }
      await burst.done;

      expect(burst.repeated()).toBeGreaterThan(0);
      expect(burst.told.size).toBe(events);
      await expectKept('burst', burst.told);
      const found = await windows('burst');
      expect(found.map(({ slots, numbers }) => [slots, numbers])).toEqual(
        Array.from({ length: 100 }, () => [1_000, 1_000]),
      );
      // Densely, one window after the other from the instant on.
      expect(found.map(({ start_ms }) => (start_ms - Date.parse(NOON)) / 1_000)).toEqual([...found.keys()]);
    },
    longest,
  );

  it(
    'goes on under each new version of its rate limit and never over the one in force',
    async () => {
      const events = 30_000;
      const batches = events / batchSize;
      await setConfig('changing', 100);
      const burst = send('changing', events);
      for (const [share, maxPerWindow] of [
        [0.3, 300],
        [0.6, 50],
      ] as const) {
        await until('part of it is answered', () => burst.answered() >= share * batches, longest);
        await setConfig('changing', maxPerWindow);
      }
      await burst.done;

      expect(burst.told.size).toBe(events);
      await expectKept('changing', burst.told);
      const { rows: over } = await pool.query(
        `select s.window_start, s.slot_no, c.max_per_window
           from rate_limit_slot s
           join rate_limit_config c on c.config_name = s.config_name and c.version = s.config_version
          where s.config_name = 'changing' and s.slot_no >= c.max_per_window`,
      );
      expect(over).toEqual([]);
      const { rows: used } = await pool.query<{ config_version: number; windows: number; most: number }>(
        `select config_version, count(distinct window_start)::integer as windows, max(slots)::integer as most
           from (select config_version, window_start, count(*) over (partition by window_start) as slots
                   from rate_limit_slot where config_name = 'changing') s
          group by config_version order by config_version`,
      );
      expect(used.map(({ config_version }) => config_version)).toEqual([1, 2, 3]);
      // The raised version reopened the windows of the first; the lowered one found none of them open.
      const found = await windows('changing');
      expect(Math.max(...found.map(({ slots }) => slots))).toBe(300);
      expect(found.filter(({ slots }) => slots > 300 || slots < 1)).toEqual([]);
      expect(used[2]?.most).toBeLessThanOrEqual(300);
    },
    longest,
  );
});
