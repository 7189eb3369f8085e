import fc from 'fast-check';
import { Client, Pool } from 'pg';
import type { RateConfig, RateConfigStore, Slot, SlotRequest, SlotStore } from '../ports.js';
import { burst, createMemoryStore, describeSlotStore, fill } from '../testing.js';
import { createPgRateConfigStore } from './pg-config-store.js';
import { createPgSlotStore } from './pg-slot-store.js';

const NOON = Date.parse('2036-02-29T12:00:00Z');
const DAY = 24 * 60 * 60 * 1_000;

const pool = new Pool({ connectionString: process.env['PG_URL'], max: 8 });
const slots = createPgSlotStore(pool);
const configs = createPgRateConfigStore(pool);

afterAll(() => pool.end());

describe('slots in PostgreSQL', () => {
  describeSlotStore(async () => ({ slots, configs, close: async () => undefined }));
});

describe('PostgreSQL beside the plain model', () => {
  let round = 0;

  const operations = fc.array(
    fc.oneof(
      { weight: 5, arbitrary: groups() },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('change' as const),
          capacity: fc.integer({ min: 1, max: 12 }),
        }),
      },
    ),
    { minLength: 1, maxLength: 12 },
  );

  it('gives the same answers for any groups and any changes of capacity', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 9_000 }),
        operations,
        async (capacity, maxDelayMs, steps) => {
          round += 1;
          const draft = {
            configName: `model-${round}`,
            maxPerWindow: capacity,
            windowSizeMs: 1_000,
            maxDelayMs,
          };
          const model = createMemoryStore();
          let config = await activateOnBoth(model, draft);
          for (const step of steps) {
            if (step.kind === 'change') {
              config = await activateOnBoth(model, { ...draft, maxPerWindow: step.capacity });
            } else {
              expect(await slots.assign(config, step.requests)).toEqual(
                await model.assign(config, step.requests),
              );
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  async function activateOnBoth(
    model: RateConfigStore,
    draft: Omit<RateConfig, 'version'>,
  ): Promise<RateConfig> {
    const expected = await model.activate(draft, 'test');
    const outcome = await configs.activate(draft, 'test');
    expect(outcome).toEqual(expected);
    if (outcome.kind === 'window-size-in-use') throw new Error('the size does not change here');
    return outcome.config;
  }
});

describe('several connections for one instant', () => {
  it('fill windows densely, none over capacity, and give each event one slot', async () => {
    const config = await activate('concurrent', 10);
    const clients = await Promise.all(Array.from({ length: 6 }, () => connect()));
    const events = burst(1_200, NOON);
    try {
      // Every connection sends every event, each in another order and in groups of another size.
      const answers = await Promise.all(
        clients.map((client, index) =>
          assignAll(createPgSlotStore(client), config, {
            events: rotate(events, index * 200),
            groupSize: 7 + index,
          }),
        ),
      );
      const [first, ...others] = answers.map((found) => new Map(found.map((slot) => [slot.eventId, slot])));
      for (const other of others) expect(other.size).toBe(first?.size);
      for (const [eventId, slot] of first ?? []) {
        for (const other of others) expect(other.get(eventId)).toEqual(slot);
      }
      const expected = Array.from({ length: 120 }, (_, index) => [NOON + index * 4_000, 10]);
      expect(fill([...(first?.values() ?? [])])).toEqual(expected);
      expect(await countRows(config.configName)).toBe(1_200);
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
  });

  it('go on under the new capacity when it changes in the middle', async () => {
    const config = await activate('concurrent-change', 10);
    const events = burst(900, NOON);
    const placing = Promise.all(
      [0, 300, 600].map((from) => assignWithReload(config.configName, events.slice(from, from + 300), 5)),
    );
    await activate('concurrent-change', 25);
    await activate('concurrent-change', 15);
    const placed = (await placing).flat();
    expect(new Set(placed.map(({ eventId }) => eventId)).size).toBe(900);
    const windows = fill(placed);
    expect(windows.map(([start]) => start)).toEqual(windows.map((_, index) => NOON + index * 4_000));
    expect(Math.max(...windows.map(([, count]) => count))).toBeLessThanOrEqual(25);
    const [next] = await assignWithReload(config.configName, burst(1, NOON, 'next'), 1);
    const open = windows.find(([, count]) => count < 15)?.[0] ?? NOON + windows.length * 4_000;
    expect(next?.windowStart).toEqual(new Date(open));
  });
});

describe('the schema', () => {
  it.each([
    ['a second slot with the number of another', 0, '23505'],
    ['a slot past the capacity of its window', 10, '23514'],
  ])('refuses %s', async (_what, slotNo, code) => {
    const config = await activate(`schema-${slotNo}`, 10);
    await assignAll(slots, config, { events: burst(1, NOON), groupSize: 1 });
    const insert = pool.query(
      `insert into rate_limit_slot (config_name, event_id, window_start, slot_no, window_capacity, config_version, requested_time, scheduled_time)
       values ($1, 'smuggled', $2, $3, 10, 1, $2, $2)`,
      [config.configName, new Date(NOON), slotNo],
    );
    await expect(insert).rejects.toMatchObject({ code });
  });
});

describe('the search for a window with room', () => {
  it('reads no more pages after 5,000 full windows than after 10', async () => {
    const config = await activate('search', 1, 7 * DAY);
    await assignAll(slots, config, { events: burst(10, NOON, 'few'), groupSize: 10 });
    const afterTen = await pagesOfOneAssignment(config);
    await assignAll(slots, config, { events: burst(4_990, NOON, 'many'), groupSize: 998 });
    const afterThousands = await pagesOfOneAssignment(config);
    expect(afterThousands).toBeLessThan(afterTen * 1.5);
  });
});

async function activate(configName: string, maxPerWindow: number, maxDelayMs = DAY): Promise<RateConfig> {
  const outcome = await configs.activate(
    { configName, maxPerWindow, windowSizeMs: 4_000, maxDelayMs },
    'test',
  );
  if (outcome.kind === 'window-size-in-use') throw new Error('the size does not change here');
  return outcome.config;
}

async function assignAll(
  store: SlotStore,
  config: RateConfig,
  { events, groupSize }: { events: readonly SlotRequest[]; groupSize: number },
): Promise<Slot[]> {
  const found: Slot[] = [];
  for (let from = 0; from < events.length; from += groupSize) {
    const outcome = await store.assign(config, events.slice(from, from + groupSize));
    if (outcome.kind !== 'answered') throw new Error(`expected answers, found ${outcome.kind}`);
    found.push(...outcome.answers.flatMap((answer) => (answer.kind === 'exhausted' ? [] : [answer.slot])));
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
    const config = await configs.findActive(configName);
    if (config === undefined) throw new Error(`${configName} has no active version`);
    const outcome = await slots.assign(config, events.slice(found.length, found.length + groupSize));
    if (outcome.kind === 'config-changed') continue;
    found.push(...outcome.answers.flatMap((answer) => (answer.kind === 'exhausted' ? [] : [answer.slot])));
  }
  return found;
}

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: process.env['PG_URL'] });
  await client.connect();
  return client;
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
        `explain (analyze, buffers, format json) select * from rate_limit_assign($1, $2, array['one-more'], array[$3::bigint])`,
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

function groups(): fc.Arbitrary<{ kind: 'assign'; requests: SlotRequest[] }> {
  const request = fc.record({
    eventId: fc.integer({ min: 0, max: 60 }).map((id) => `event-${id}`),
    requestedTime: fc
      .oneof(fc.constant(0), fc.integer({ min: 0, max: 4_000 }))
      .map((ms) => new Date(NOON + ms)),
  });
  return fc.array(request, { minLength: 1, maxLength: 25 }).map((requests) => ({ kind: 'assign', requests }));
}

function rotate<T>(items: readonly T[], by: number): T[] {
  return [...items.slice(by), ...items.slice(0, by)];
}
