import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bindNamesIn, driver, offlineQueue, textOf, useEverything } from '../testing/offline-oracle.js';
import type { Call } from '../testing/offline-oracle.js';
import { statementNames } from './oracle-statements.js';

/** Direction and type of each parameter of our packages, as the driver has to be told them. */
function parametersOf(routine: string): Map<string, string> {
  const migrations = join(__dirname, '..', 'migrations', 'oracle');
  const texts = readdirSync(migrations).map((file) => readFileSync(join(migrations, file), 'utf8'));
  const list = new RegExp(`PROCEDURE ${routine}\\(([^)]*)\\)`).exec(texts.join('\n'))?.[1] ?? '';
  return new Map(
    list.split(',').map((one) => {
      const [name = '', dir = '', ...type] = one.trim().split(/\s+/);
      return [name, `${dir} ${driverTypes[type.join(' ')] ?? type.join(' ')}`];
    }),
  );
}

const driverTypes: Readonly<Record<string, string>> = {
  VARCHAR2: 'DB_TYPE_VARCHAR',
  CLOB: 'DB_TYPE_VARCHAR',
  NUMBER: 'DB_TYPE_NUMBER',
  PLS_INTEGER: 'DB_TYPE_NUMBER',
  text_list: 'list of DB_TYPE_VARCHAR',
  number_list: 'list of DB_TYPE_NUMBER',
  'TIMESTAMP WITH TIME ZONE': 'DB_TYPE_TIMESTAMP_TZ',
};

describe('what the Oracle store gives its driver', () => {
  let all: Awaited<ReturnType<typeof useEverything>>;
  beforeAll(async () => {
    all = await useEverything();
  });
  const callOf = (statement: string): Call => {
    const found = all.calls.find((call) => call.statement === statement);
    if (!found) throw new Error(`${statement} was not sent`);
    return found;
  };

  it('sends every statement, and nothing but the statements', () => {
    const sent = new Set(all.calls.map((call) => call.statement));
    expect([...sent].toSorted()).toEqual([...statementNames].toSorted());
  });

  it.each([...statementNames])('gives %s the very binds that the driver finds in its text', (name) => {
    const { sql, binds } = callOf(name);
    expect(binds.map((bind) => bind.name.toUpperCase()).toSorted()).toEqual(bindNamesIn(sql).toSorted());
  });

  it.each(statementNames.filter((name) => /^BEGIN/m.test(textOf(name))))(
    'binds the parameters behind %s in their direction and type',
    (name) => {
      const { sql, binds } = callOf(name);
      const routine = /\w+\.(\w+)\(/.exec(sql)?.[1] ?? '';
      const parameters = parametersOf(routine);
      const given = [...sql.matchAll(/(p_\w+) => :(\w+)/g)].map(([, parameter = '', bindName]) => {
        const bind = binds.find((one) => one.name === bindName);
        const type = `${bind?.isArray ? 'list of ' : ''}${bind?.type.name ?? 'nothing'}`;
        return [parameter, `${bind?.dir === driver.BIND_OUT ? 'OUT' : 'IN'} ${type}`];
      });
      expect(Object.fromEntries(given)).toEqual(Object.fromEntries(parameters));
    },
  );

  it('binds every date with its zone, since a date without one travels in the zone of the process', async () => {
    const dates = all.calls
      .flatMap((call) => call.binds)
      .filter((bind) => bind.values.some((value) => value instanceof Date));
    expect(dates.length).toBeGreaterThan(0);
    for (const bind of dates) expect(bind.type).toBe(driver.DB_TYPE_TIMESTAMP_TZ);
    const { getConnection, calls } = offlineQueue();
    await (await getConnection()).execute('SELECT :at FROM dual', { at: new Date() }, {});
    expect(calls[0]?.binds[0]?.type).toBe(driver.DB_TYPE_TIMESTAMP);
  });

  it('leaves room for as many answers as there are questions', () => {
    expect(callOf('claim_batch').binds.find((bind) => bind.name === 'exhausted')).toMatchObject({
      maxArraySize: 5,
      maxSize: 800,
    });
    expect(callOf('return_to_ready').binds.find((bind) => bind.name === 'changed')).toMatchObject({
      maxArraySize: 1,
      maxSize: 800,
    });
  });

  it('sends no empty text, which would be NULL', () => {
    const texts = all.calls.flatMap((call) => call.binds.flatMap((bind) => bind.values));
    expect(texts).not.toContain('');
    const sent = (statement: string, name: string) =>
      callOf(statement).binds.find((bind) => bind.name === name)?.values;
    expect(sent('release_items', 'reason')).toEqual(['no reason was given']);
    expect(sent('exhaust_items', 'errors')).toEqual(['no reason was given']);
    // Which the driver makes of null.
    expect(sent('find_audit_trail', 'batch_id')).toEqual([undefined]);
  });

  it('fetches contexts as text with their rows', () => {
    const { fetchTypeHandler } = callOf('read_claimed_items').options;
    expect(fetchTypeHandler?.({ dbType: driver.DB_TYPE_CLOB })).toEqual({ type: driver.DB_TYPE_VARCHAR });
    expect(fetchTypeHandler?.({ dbType: driver.DB_TYPE_NUMBER })).toBeUndefined();
  });
});
