import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RateConfig } from '../ports.js';
import { burst } from '../testing.js';
import { bindNamesIn, driver, offlineStore, textOf } from '../testing/offline-oracle.js';
import { statementNames } from './oracle-statements.js';

const NOON = Date.parse('2035-06-01T12:00:00Z');
const config: RateConfig = {
  configName: 'payments',
  version: 3,
  maxPerWindow: 10,
  windowSizeMs: 4_000,
  maxDelayMs: 86_400_000,
  spread: 'even',
  calendar: null,
};
const configColumns = {
  CONFIG_NAME: 'payments',
  VERSION: 3,
  MAX_PER_WINDOW: 10,
  WINDOW_SIZE_MS: 4_000,
  MAX_DELAY_MS: 86_400_000,
  SPREAD: 'even',
  CALENDAR: '{"timeZone":"UTC"}',
};
/** What a store with one slot would answer. */
const answers = {
  assign_slots: {
    outBinds: {
      outcome: 'answered',
      searched: 2,
      outcomes: ['assigned', 'existing', 'exhausted'],
      first_requested: [NOON, NOON - 1, NOON],
      scheduled: [NOON + 400, NOON, NOON + 86_400_000],
      windows: [NOON, NOON, null],
      numbers: [1, 0, null],
    },
  },
  find_slot: {
    rows: [{ REQUESTED_MS: NOON, SCHEDULED_MS: NOON + 400, WINDOW_MS: NOON, SLOT_NO: 1 }],
  },
  release_slot: {
    outBinds: {
      outcome: 'not_found',
      requested_ms: null,
      scheduled_ms: null,
      window_ms: null,
      slot_no: null,
    },
  },
  list_windows: {
    rows: [
      { WINDOW_MS: NOON, TAKEN: 10 },
      { WINDOW_MS: NOON + 4_000, TAKEN: 1 },
    ],
  },
  measure_load: { outBinds: { now_ms: NOON + 1, current_ms: NOON, taken: 2, furthest_ms: null } },
  prune_slots: { outBinds: { slots: 10, windows: 1 } },
  find_active_config: { rows: [configColumns] },
  list_active_configs: { rows: [configColumns] },
  activate_config: {
    outBinds: { outcome: 'window_size_in_use', active_version: 3, last_window_end_ms: NOON },
  },
};

/** Every method of the ports once. */
async function useEverything() {
  const { store, calls } = offlineStore(answers);
  return {
    calls,
    assigned: await store.assign(config, burst(3, NOON)),
    found: await store.find('payments', 'event-0'),
    released: await store.release('payments', 'event-9'),
    page: await store.listWindows(config, { from: new Date(NOON), until: new Date(NOON + 60_000), limit: 1 }),
    load: await store.measure(config),
    pruned: await store.prune({ configName: 'payments', minAgeMs: 1_000, limit: 10 }),
    active: await store.findActive('payments'),
    listed: await store.listActive(),
    activated: await store.activate({ ...config, windowSizeMs: 2_000 }, 'ops'),
  };
}

describe('what the Oracle store gives its driver', () => {
  let all: Awaited<ReturnType<typeof useEverything>>;
  beforeAll(async () => {
    all = await useEverything();
  });
  const callOf = (statement: string) => {
    const found = all.calls.find((call) => call.statement === statement);
    if (found === undefined) throw new Error(`${statement} was not sent`);
    return found;
  };

  it('is every statement, each in one round trip', () => {
    expect(all.calls.map(({ statement }) => statement).toSorted()).toEqual([...statementNames].toSorted());
  });

  it.each([...statementNames])('are the very binds that the driver finds in the text of %s', (name) => {
    const { sql, binds } = callOf(name);
    expect(binds.map((bind) => bind.name.toUpperCase()).toSorted()).toEqual(bindNamesIn(sql).toSorted());
  });

  it.each(statementNames.filter((name) => /^BEGIN/m.test(textOf(name))))(
    'are the parameters behind %s in their direction and type, with the commit',
    (name) => {
      const { sql, binds, options } = callOf(name);
      const given = [...sql.matchAll(/(p_\w+) => :(\w+)/g)].map(([, parameter = '', bindName]) => {
        const bind = binds.find((one) => one.name === bindName);
        const type = `${bind?.isArray ? 'list of ' : ''}${bind?.type.name ?? 'nothing'}`;
        return [parameter, `${bind?.dir === driver.BIND_OUT ? 'OUT' : 'IN'} ${type}`];
      });
      expect(Object.fromEntries(given)).toEqual(parametersOf(/\w+\.(\w+)\(/.exec(sql)?.[1] ?? ''));
      expect(options.autoCommit).toBe(true);
    },
  );

  it('has room for an answer to each event', () => {
    const lists = callOf('assign_slots').binds.filter(
      ({ dir, isArray }) => isArray && dir === driver.BIND_OUT,
    );
    expect(lists.map(({ maxArraySize }) => maxArraySize)).toEqual([3, 3, 3, 3, 3]);
  });

  it('is the open time of a calendar as two lists', async () => {
    const { store, calls } = offlineStore(answers);
    const calendar = { timeZone: 'UTC', hours: { friday: [{ from: '12:00', until: '13:00' }] } };
    await store.assign({ ...config, calendar }, burst(3, NOON));
    const valuesOf = (name: string) => calls[0]?.binds.find((bind) => bind.name === name)?.values;
    expect(valuesOf('always_open')).toEqual([0]);
    expect(valuesOf('open_from')).toContain(NOON);
    expect(valuesOf('open_until')).toContain(NOON + 3_600_000);
  });
});

describe('what the Oracle store makes of answers', () => {
  let all: Awaited<ReturnType<typeof useEverything>>;
  beforeAll(async () => {
    all = await useEverything();
  });
  const slot = (eventId: string, requested: number, at: { scheduled: number; slotNo: number }) => ({
    eventId,
    requestedTime: new Date(requested),
    scheduledTime: new Date(at.scheduled),
    windowStart: new Date(NOON),
    slotNo: at.slotNo,
  });

  it('is the words of the port', () => {
    expect(all.assigned).toEqual({
      kind: 'answered',
      windowsSearched: 2,
      answers: [
        { kind: 'assigned', slot: slot('event-0', NOON, { scheduled: NOON + 400, slotNo: 1 }) },
        { kind: 'existing', slot: slot('event-1', NOON - 1, { scheduled: NOON, slotNo: 0 }) },
        { kind: 'exhausted', eventId: 'event-2', horizon: new Date(NOON + 86_400_000) },
      ],
    });
    expect(all.found).toEqual(slot('event-0', NOON, { scheduled: NOON + 400, slotNo: 1 }));
    expect(all.released).toEqual({ kind: 'not-found' });
    expect(all.page).toMatchObject({ windows: [{ taken: 10 }], next: new Date(NOON + 4_000) });
    expect(all.load).toMatchObject({ currentWindow: { taken: 2, capacity: 10 }, furthestWindow: null });
    expect(all.pruned).toEqual({ slots: 10, windows: 1, more: true });
    expect(all.active).toEqual({ ...config, calendar: { timeZone: 'UTC' } });
    expect(all.listed).toEqual([all.active]);
    expect(all.activated).toEqual({ kind: 'window-size-in-use', lastWindowEnd: new Date(NOON) });
  });

  it('tells a version that is no longer active', async () => {
    const { store } = offlineStore({ assign_slots: { outBinds: { outcome: 'config_changed' } } });
    expect(await store.assign(config, burst(1))).toEqual({ kind: 'config-changed' });
  });

  it.each([
    ['ORA-02290', 'SLOT_STORE_REFUSED'],
    ['ORA-12899', 'SLOT_STORE_REFUSED'],
    ['ORA-30006', 'SLOT_STORE_UNAVAILABLE'],
    ['NJS-040', 'SLOT_STORE_UNAVAILABLE'],
    ['NJS-123', 'SLOT_STORE_UNAVAILABLE'],
    ['NJS-500', 'SLOT_STORE_UNAVAILABLE'],
    ['ORA-06550', 'ORA-06550'],
  ])('is for %s an error with the code %s', async (code, expected) => {
    const { store } = offlineStore({ assign_slots: Object.assign(new Error(code), { code }) });
    await expect(store.assign(config, burst(1))).rejects.toMatchObject({ code: expected });
  });
});

describe('the statements of both databases', () => {
  const filesOf = (dialect: string) => readdirSync(join(__dirname, 'sql', dialect)).toSorted();

  it('have the same names, and each is used', () => {
    expect(filesOf('oracle')).toEqual(filesOf('pg'));
    expect(filesOf('oracle')).toEqual(statementNames.map((name) => `${name}.sql`).toSorted());
  });

  it.each(filesOf('pg').flatMap((file) => [`pg/${file}`, `oracle/${file}`]))(
    '%s says what it is for, what goes in and what comes out',
    (file) => {
      const text = readFileSync(join(__dirname, 'sql', file), 'utf8');
      const header = text.split('\n').filter((line) => line.startsWith('--'));
      expect(header.join('\n')).toMatch(/In: [\s\S]*Out: /);
    },
  );
});

/** Direction and type of each parameter of our packages, as the driver has to be told them. */
function parametersOf(routine: string): Record<string, string> {
  const folder = join(__dirname, '..', 'migrations', 'oracle');
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  const list = new RegExp(`PROCEDURE ${routine}\\(([^)]*)\\)`).exec(texts.join('\n'))?.[1] ?? '';
  const driverTypes: Readonly<Record<string, string>> = {
    VARCHAR2: 'DB_TYPE_VARCHAR',
    CLOB: 'DB_TYPE_VARCHAR',
    NUMBER: 'DB_TYPE_NUMBER',
    text_list: 'list of DB_TYPE_VARCHAR',
    number_list: 'list of DB_TYPE_NUMBER',
  };
  return Object.fromEntries(
    list.split(',').map((one) => {
      const [name = '', dir = '', type = ''] = one.trim().split(/\s+/);
      return [name, `${dir} ${driverTypes[type] ?? type}`];
    }),
  );
}
