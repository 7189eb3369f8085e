import { Client, Pool } from 'pg';
import type { RateConfig, Slot, SlotRequest } from '../ports.js';
import { burst, describeSlotStore, fill } from '../testing.js';
import { DAY, activate, assignAll, newConfig } from '../testing/harness.js';
import { createPgRateConfigStore } from './pg-config-store.js';
import { createPgSlotStore } from './pg-slot-store.js';
import { pgStore } from '../testing/pg-store.js';

const NOON = Date.parse('2036-02-29T12:00:00Z');

const pools = Array.from({ length: 3 }, () => new Pool({ connectionString: process.env['PG_URL'], max: 4 }));
const [pool] = pools as [Pool];
const store = pgStore(pool);

afterAll(() => Promise.all(pools.map((one) => one.end())));

describe('slots in PostgreSQL', () => {
  let opened = 0;
  describeSlotStore(async () => ({
    // Every node has a pool of its own.
    open: (clock) => pgStore(pools[(opened += 1) % pools.length] ?? pool, clock),
    close: async () => undefined,
  }));
});

describe('several connections for one instant', () => {
  it('fill windows densely, none over capacity, and give each event one slot', async () => {
    const config = await newConfig(store, { maxDelayMs: DAY });
    const clients = await Promise.all(Array.from({ length: 6 }, () => connect()));
    const events = burst(1_200, NOON);
    try {
      // Every connection sends every event, each in another order and in groups of another size.
      const answers = await Promise.all(
        clients.map((client, index) =>
          inGroups(createPgSlotStore(client), config, {
            events: rotate(events, index * 200),
            groupSize: 7 + index,
          }),
        ),
      );
      const [first, ...others] = answers.map((found) => new Map(found.map((slot) => [slot.eventId, slot])));
      for (const other of others) expect(other).toEqual(first);
      const expected = Array.from({ length: 120 }, (_, index) => [NOON + index * 4_000, 10]);
      expect(fill([...(first?.values() ?? [])])).toEqual(expected);
      expect(await countRows(config.configName)).toBe(1_200);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
  });

  it('go on under the new capacity when it changes in the middle of the burst', async () => {
    const config = await newConfig(store, { maxDelayMs: DAY });
    const events = burst(900, NOON);
    const placing = Promise.all(
      [0, 300, 600].map((from) => assignWithReload(config.configName, events.slice(from, from + 300), 5)),
    );
    await activate(store, { ...config, maxPerWindow: 25 });
    await activate(store, { ...config, maxPerWindow: 15 });
    const placed = (await placing).flat();
    expect(new Set(placed.map(({ eventId }) => eventId)).size).toBe(900);
    const windows = fill(placed);
    expect(windows.map(([start]) => start)).toEqual(windows.map((_, index) => NOON + index * 4_000));
    expect(Math.max(...windows.map(([, count]) => count))).toBeLessThanOrEqual(25);
    const [next] = await assignWithReload(config.configName, burst(1, NOON, 'next'), 1);
    const open = windows.find(([, count]) => count < 15)?.[0] ?? NOON + windows.length * 4_000;
    expect(next?.windowStart).toEqual(new Date(open));
  });

  it('lose and double nothing when a connection is cut in the middle of a group', async () => {
    const config = await newConfig(store, { maxDelayMs: DAY });
    const cut = await connect();
    cut.on('error', () => undefined);
    await cut.query('begin');
    await createPgSlotStore(cut).assign(config, burst(500, NOON));
    const waiting = assignAll(store, config, burst(500, NOON));
    await pool.query('select pg_terminate_backend($1)', [await backendOf(cut)]);
    expect(fill(await waiting)).toEqual(Array.from({ length: 50 }, (_, index) => [NOON + index * 4_000, 10]));
    expect(await countRows(config.configName)).toBe(500);
  });
});

describe('the schema', () => {
  it.each([
    ['a second slot with the number of another', 0, '23505'],
    ['a slot past the capacity of its window', 10, '23514'],
  ])('refuses %s', async (_what, slotNo, code) => {
    const config = await newConfig(store);
    await assignAll(store, config, burst(1, NOON));
    const insert = pool.query(
      `insert into rate_limit_slot (config_name, event_id, window_start, slot_no, window_capacity, config_version, requested_time, scheduled_time)
       values ($1, 'smuggled', $2, $3, 10, 1, $2, $2)`,
      [config.configName, new Date(NOON), slotNo],
    );
    await expect(insert).rejects.toMatchObject({ code });
  });

  it.each([
    ['an empty event id', ''],
    ['an event id that is too long', 'x'.repeat(129)],
    ['an event id with a zero byte', 'a\0b'],
  ])('refuses %s with a code, and nothing of its group is written', async (_what, eventId) => {
    const config = await newConfig(store);
    const group = [...burst(2, NOON), { eventId, requestedTime: new Date(NOON) }];
    await expect(store.assign(config, group)).rejects.toMatchObject({
      code: 'SLOT_STORE_REFUSED',
      retryable: false,
    });
    expect(await countRows(config.configName)).toBe(0);
  });

  it.each([
    ['no capacity', { maxPerWindow: 0 }],
    ['a window of no length', { windowSizeMs: 0 }],
    ['a window of more than a day', { windowSizeMs: DAY + 1 }],
    ['a horizon in the past', { maxDelayMs: -1 }],
    ['no name', { configName: '' }],
  ])('refuses a config with %s', async (_what, change) => {
    await expect(newConfig(store, change)).rejects.toMatchObject({ code: 'SLOT_STORE_REFUSED' });
  });

  it('tells a database that is away from one that refuses', async () => {
    const away = new Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
    await expect(createPgRateConfigStore(away).listActive()).rejects.toMatchObject({
      code: 'SLOT_STORE_UNAVAILABLE',
      retryable: true,
    });
    await away.end();
  });
});

describe('the search for a window with room', () => {
  it('reads no more pages after 5,000 full windows than after 10', async () => {
    const config = await newConfig(store, { maxPerWindow: 1, maxDelayMs: 7 * DAY });
    await inGroups(store, config, { events: burst(10, NOON, 'few'), groupSize: 10 });
    const afterTen = await pagesOfOneAssignment(config);
    await inGroups(store, config, { events: burst(4_990, NOON, 'many'), groupSize: 998 });
    expect(await pagesOfOneAssignment(config)).toBeLessThan(afterTen * 1.5);
  });

  it('steps over nights and weekends that lie between full days as over one run', async () => {
    const hours = [{ from: '12:00', until: '12:01' }];
    const calendar = { timeZone: 'UTC', hours: { monday: hours, wednesday: hours, friday: hours } };
    const config = await newConfig(store, { calendar, maxPerWindow: 1, maxDelayMs: 300 * DAY });
    // Fifteen windows on each of three days a week.
    await inGroups(store, config, { events: burst(1_000, NOON), groupSize: 300 });
    const outcome = await store.assign(config, burst(1, NOON, 'next'));
    expect(outcome).toMatchObject({ windowsSearched: 1, answers: [{ kind: 'assigned' }] });
    const spans = await pool.query('select from rate_limit_full_span where config_name = $1', [
      config.configName,
    ]);
    expect(spans.rowCount).toBe(1);
  });
});

async function inGroups(
  slots: Pick<typeof store, 'assign'>,
  config: RateConfig,
  { events, groupSize }: { events: readonly SlotRequest[]; groupSize: number },
): Promise<Slot[]> {
  const found: Slot[] = [];
  for (let from = 0; from < events.length; from += groupSize) {
    const outcome = await slots.assign(config, events.slice(from, from + groupSize));
    if (outcome.kind !== 'answered') throw new Error(`expected answers, found ${outcome.kind}`);
    found.push(...outcome.answers.flatMap((answer) => ('slot' in answer ? [answer.slot] : [])));
  }
  return found;
}

async function assignWithReload(
  configName: string,
  events: readonly SlotRequest[],
  groupSize: number,
): Promise<Slot[]> {
  const found: Slot[] = [];
  while (found.length < events.length) {
    const config = await store.findActive(configName);
    if (config === undefined) throw new Error(`${configName} has no active version`);
    const outcome = await store.assign(config, events.slice(found.length, found.length + groupSize));
    if (outcome.kind === 'config-changed') continue;
    found.push(...outcome.answers.flatMap((answer) => ('slot' in answer ? [answer.slot] : [])));
  }
  return found;
}

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: process.env['PG_URL'] });
  await client.connect();
  return client;
}

async function backendOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid ?? 0;
}

async function countRows(configName: string): Promise<number> {
  const result = await pool.query<{ rows: number }>(
    'select count(*)::int as rows from rate_limit_slot where config_name = $1',
    [configName],
  );
  return result.rows[0]?.rows ?? 0;
}

/** Pages that PostgreSQL touches to place one more event, which is then taken back. */
async function pagesOfOneAssignment(config: RateConfig): Promise<number> {
  const client = await connect();
  try {
    // A call may read the catalog too, as the first one of a connection does; the smallest of a few is the cost itself.
    const pages: number[] = [];
    while (pages.length < 5) {
      await client.query('begin');
      const plan = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json)
         select * from rate_limit_assign($1, $2, array['one-more'], array[$3::bigint], null, null, null)`,
        [config.configName, config.version, NOON],
      );
      const { 'Shared Hit Blocks': hit = NaN, 'Shared Read Blocks': read = NaN } =
        plan.rows[0]?.['QUERY PLAN'][0].Plan ?? {};
      pages.push(hit + read);
      await client.query('rollback');
    }
    return Math.min(...pages);
  } finally {
    await client.end();
  }
}

function rotate<T>(items: readonly T[], by: number): T[] {
  return [...items.slice(by), ...items.slice(0, by)];
}
