import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Client, Pool } from 'pg';
import { rateWindowMigrations } from '../migrations.js';
import { describeSlotProperties } from '../testing/describe-slot-properties.js';
import { play } from '../testing/history.js';
import type { PropertyHarness } from '../testing/history.js';
import * as laws from '../testing/laws.js';
import { pgStore } from '../testing/pg-store.js';
import { stampedes } from '../testing/scenario.js';
import { createPgSlotStore } from './pg-slot-store.js';
import { readSlot } from './slot-rows.js';

const url = process.env['PG_URL'] ?? '';
const all: Pool[] = [];

afterAll(() => Promise.all(all.map((pool) => pool.end())));

describe('slots in PostgreSQL, with several nodes', () => {
  const harness = nodesOn({});
  describeSlotProperties(() => harness, { runs: 20 });

  it('lets no window overflow and no event have two slots when nodes stampede', () =>
    checkStampedes(harness, 20));
});

describe('a store that reads and then writes without the lock', () => {
  it('is caught: the schema refuses what it would write', async () => {
    await makeSchema('unlocked', (sql) => sql.replace(LOCK, ''));
    const failure = await failureOf(checkStampedes(nodesOn({ schema: 'unlocked' }), 50));
    expect(failure).toMatch(/SlotStoreRefusedError|SlotStoreUnavailableError/);
  });

  it('is caught without that schema too: the properties see what came of it', async () => {
    await makeSchema('unguarded', (sql) =>
      sql
        .replace(LOCK, '')
        .replace(/constraint ux_rate_limit_slot_number unique \(.*\)/, 'check (true)')
        .replace('primary key (config_name, event_id)', 'check (true)')
        .replace('primary key (config_name, span_start)', 'check (true)'),
    );
    const failure = await failureOf(checkStampedes(nodesOn({ schema: 'unguarded' }), 50));
    expect(failure).toMatch(
      /a number was given twice|counters say|an answer that is not true|a window holds/,
    );
  });
});

/** The lock of an assignment: of all statements of the function, only this one ends so. */
const LOCK = /where r\.config_name = p_config_name and r\.version = p_version\s+for no key update/;

/** Nodes with a pool each, all of which see the tables of one schema. */
function nodesOn({ schema }: { schema?: string }): PropertyHarness {
  const options = schema === undefined ? {} : { options: `-c search_path=${schema}` };
  const open = () => new Pool({ connectionString: url, max: 2, ...options });
  const pools = [open(), open(), open(), open()] as const;
  all.push(...pools);
  let opened = 0;
  return {
    open: (clock) => pgStore(pools[(opened += 1) % pools.length] ?? pools[0], clock),
    async crash(config, requests, clock) {
      const client = new Client({ connectionString: url, ...options });
      client.on('error', () => undefined);
      await client.connect();
      await client.query('begin');
      await createPgSlotStore(client, { clock }).assign(config, requests);
      // As a killed process does: without a word.
      client.connection.stream.destroy();
    },
    async allSlots(configName) {
      const { rows } = await pools[0].query<{ event_id: string; row: unknown }>(EVERY_SLOT, [configName]);
      return rows
        .map(({ event_id: eventId, row }) => readSlot(row, eventId))
        .filter((slot) => slot !== undefined);
    },
    close: async () => undefined,
  };
}

const EVERY_SLOT = `
  select event_id,
         json_build_object('requested_ms', rate_limit_ms(requested_time), 'scheduled_ms', rate_limit_ms(scheduled_time),
                           'window_ms', rate_limit_ms(window_start), 'slot_no', slot_no) as row
    from rate_limit_slot
   where config_name = $1`;

function checkStampedes(harness: PropertyHarness, numRuns: number): Promise<void> {
  return fc.assert(
    fc.asyncProperty(stampedes, async (scenario) => {
      const moments = await play(harness, scenario);
      for (const law of [laws.capacity, laws.oneSlotAnEvent, laws.workConserving, laws.conservation])
        law(moments);
    }),
    { numRuns, endOnFailure: true },
  );
}

async function makeSchema(schema: string, change: (sql: string) => string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`create schema ${schema}; set search_path = ${schema}`);
    const folder = rateWindowMigrations.pg;
    const sql = readdirSync(folder)
      .toSorted()
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n');
    const changed = change(sql);
    expect(changed).not.toBe(sql);
    await client.query(changed);
  } finally {
    await client.end();
  }
}

async function failureOf(check: Promise<void>): Promise<string> {
  try {
    await check;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return `${String(error)} ${String(cause)}`;
  }
  throw new Error('the properties did not see that the lock is missing');
}
