import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../log/logger.js';
import { migrateIn } from '../migrate/migrate-command.js';
import { pgSchemaCheck } from '../migrate/schema-check.js';
import { openPgMigrations } from './pg-migrations.js';
import { connectPg, inTransaction, pgDependency } from './pg-pool.js';
import type { Pool } from './pg-pool.js';

const { PG_URL: url = '' } = process.env;
const log = createLogger({ service: 'kit', level: 'fatal' });
const pool = connectPg({ url, applicationName: 'kit-test', poolSize: 3, statementTimeoutMs: 2000, log });
const operator = connectPg({ url, applicationName: 'kit-operator', poolSize: 1, log });
const never = new AbortController().signal;

/** Ends a session of the server from outside, as a failover would. */
async function terminate(pid: number): Promise<void> {
  await operator.query('SELECT pg_terminate_backend($1)', [pid]);
  const alive = async (): Promise<boolean> =>
    (await operator.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount === 1;
  while (await alive());
}

async function pidOf(db: { query: Pool['query'] }): Promise<number> {
  const { rows } = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

beforeAll(() => pool.query('CREATE TABLE kit_things (id integer PRIMARY KEY)'));
afterAll(() => Promise.all([pool.end(), operator.end()]));
beforeEach(() => pool.query('TRUNCATE kit_things'));

const ids = async (): Promise<number[]> => {
  const { rows } = await pool.query<{ id: number }>('SELECT id FROM kit_things ORDER BY id');
  return rows.map(({ id }) => id);
};

describe('connectPg', () => {
  it('shows its name and sets the limits of its sessions', async () => {
    const { rows } = await pool.query(`SELECT current_setting('application_name') AS name,
      current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle`);
    expect(rows[0]).toEqual({ name: 'kit-test', statement: '2s', idle: '4s' });
  });

  it('ends a statement that takes too long', async () => {
    await expect(pool.query('SELECT pg_sleep(30)')).rejects.toMatchObject({ code: '57014' });
  });

  it('outlives sessions that the server ends, idle ones and those in use', async () => {
    const [idle, used] = [await pool.connect(), await pool.connect()];
    const [idlePid, usedPid] = [await pidOf(idle), await pidOf(used)];
    idle.release();
    await terminate(usedPid);
    await terminate(idlePid);
    await expect(used.query('SELECT 1')).rejects.toThrow();
    used.release(true);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('gives up on a server that accepts the connection and then says nothing', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as AddressInfo;
    const deaf = connectPg({ url: `postgres://u@127.0.0.1:${port}/x`, applicationName: 'x', log });
    const startedAt = performance.now();
    await expect(deaf.query('SELECT 1')).rejects.toThrow();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await deaf.end();
    silent.close();
  });
});

describe('pgDependency', () => {
  it('is ready when the server answers, and not when it is away', async () => {
    await expect(pgDependency(pool).check(never)).resolves.toBeUndefined();
    const nowhere = connectPg({ url: 'postgres://u@127.0.0.1:1/x', applicationName: 'x', log });
    await expect(pgDependency(nowhere).check(never)).rejects.toThrow();
    await nowhere.end();
  });
});

describe('inTransaction', () => {
  it('commits what the work did and returns its result', async () => {
    const result = await inTransaction(pool, async (client) => {
      await client.query('INSERT INTO kit_things VALUES (1)');
      return 'done';
    });
    expect([result, await ids()]).toEqual(['done', [1]]);
  });

  it('rolls back when the work throws, and throws the same error', async () => {
    const failure = new Error('mine');
    const work = inTransaction(pool, async (client) => {
      await client.query('INSERT INTO kit_things VALUES (1)');
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect(await ids()).toEqual([]);
  });

  it('does not take a swallowed failure for a success', async () => {
    const work = inTransaction(pool, async (client) => {
      await client.query('INSERT INTO kit_things VALUES (1)');
      await client.query('INSERT INTO kit_things VALUES (1)').catch(() => {});
    });
    await expect(work).rejects.toMatchObject({ code: 'TRANSACTION_ABORTED' });
    expect(await ids()).toEqual([]);
  });

  it('throws the error of the work when the connection is lost too', async () => {
    const failure = new Error('mine');
    const work = inTransaction(pool, async (client) => {
      await terminate(await pidOf(client));
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('says that the outcome is unknown when the connection is lost during COMMIT', async () => {
    const work = inTransaction(pool, async (client) => {
      await client.query('INSERT INTO kit_things VALUES (1)');
      await terminate(await pidOf(client));
    });
    await expect(work).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', retryable: false });
  });

  it('passes on a refusal of COMMIT as what it is', async () => {
    await pool.query('CREATE TABLE kit_deferred (id integer UNIQUE DEFERRABLE INITIALLY DEFERRED)');
    const work = inTransaction(pool, async (client) => {
      await client.query('INSERT INTO kit_deferred VALUES (1), (1)');
    });
    await expect(work).rejects.toMatchObject({ code: '23505' });
  });

  it('leaves no connection behind, whatever happens', async () => {
    const fail = (): Promise<unknown> =>
      inTransaction(pool, () => Promise.reject(new Error('x'))).catch(() => {});
    await Promise.all(Array.from({ length: 12 }, fail));
    expect([pool.waitingCount, pool.idleCount === pool.totalCount]).toEqual([0, true]);
  });
});

describe('the schema of a database', () => {
  const schema = `kit_${Date.now()}`;
  const scoped = `${url}${url.includes('?') ? '&' : '?'}options=${encodeURIComponent(`-c search_path=${schema}`)}`;
  const folder = mkdtempSync(join(tmpdir(), 'migrations-'));
  const sets = [{ component: 'demo', pg: folder }];
  const here = connectPg({ url: scoped, applicationName: 'kit-test', log });
  const write = (file: string, text: string): void =>
    writeFileSync(join(folder, file), `-- safe: online\n${text}`);
  const migrate = async (command: string, env: Record<string, string> = { PG_URL: scoped }) => {
    const seen = { out: '', err: '' };
    const stdout = { write: (text: string) => (seen.out += text) };
    const stderr = { write: (text: string) => (seen.err += text) };
    const argv = ['node', 'migrate.js', command];
    const code = await migrateIn({ name: 'demo', sets }, { env, argv, stdout, stderr });
    return { code, ...seen };
  };
  const check = (): Promise<readonly string[]> => pgSchemaCheck(here, sets).check();

  beforeAll(() => pool.query(`CREATE SCHEMA ${schema}`));
  afterAll(async () => {
    await here.end();
    rmSync(folder, { recursive: true });
  });

  it('is refused by a service before the first migration, which creates nothing by itself', async () => {
    write('0001_create_a.sql', 'CREATE TABLE a (id integer);');
    expect(await check()).toEqual([
      'demo 0001_create_a has not been applied; run "node migrate.js up" first',
    ]);
    const { rows } = await pool.query('SELECT FROM pg_tables WHERE schemaname = $1', [schema]);
    expect(rows).toHaveLength(0);
  });

  it('is shown by status, brought up by up, and accepted then', async () => {
    expect(await migrate('status')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/demo 0001_create_a {2}pending/) as string,
    });
    expect(await migrate('up')).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 applied now, 0 before') as string,
    });
    expect(await migrate('up')).toMatchObject({
      code: 0,
      out: expect.stringContaining('0 applied now, 1 before') as string,
    });
    expect(await migrate('status')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/demo 0001_create_a {2}applied 20\d\d-/) as string,
    });
    expect(await check()).toEqual([]);
  });

  it('is accepted by an older service when a newer release has migrated it', async () => {
    write('0002_create_b.sql', 'CREATE TABLE b (id integer);');
    expect((await migrate('up')).code).toBe(0);
    rmSync(join(folder, '0002_create_b.sql'));
    expect(await check()).toEqual([]);
    expect((await migrate('up')).out).toContain('demo 0002_create_b  is newer than this release; left alone');
    write('0002_create_b.sql', 'CREATE TABLE b (id integer);');
  });

  it('is left as it was by a file that fails, and the message names file and line', async () => {
    write('0003_half.sql', 'CREATE TABLE c (id integer);\nALTER TABLE nothing ADD x integer;');
    const { code, err } = await migrate('up');
    expect(code).toBe(1);
    expect(err).toContain('demo 0003_half failed and was rolled back: relation "nothing" does not exist');
    expect((await pool.query(`SELECT to_regclass('${schema}.c') AS c`)).rows).toEqual([{ c: null }]);
    rmSync(join(folder, '0003_half.sql'));
  });

  it('refuses a file that ends its own transaction', async () => {
    write('0003_commits.sql', 'CREATE TABLE d (id integer);\nCOMMIT;\nCREATE TABLE e (id integer);');
    expect((await migrate('up')).err).toContain('it must contain no BEGIN, COMMIT or ROLLBACK');
    rmSync(join(folder, '0003_commits.sql'));
  });

  it('is refused by service and runner alike when an applied file was changed', async () => {
    write('0001_create_a.sql', 'CREATE TABLE a (id bigint);');
    expect((await check())[0]).toContain('demo 0001_create_a was changed after it had been applied');
    expect(await migrate('up')).toMatchObject({
      code: 1,
      err: expect.stringContaining('0001_create_a was changed') as string,
    });
    expect(await migrate('status')).toMatchObject({ code: 1 });
    write('0001_create_a.sql', 'CREATE TABLE a (id integer);');
  });

  it('cannot be migrated by two at once: the second waits, and says so when it takes too long', async () => {
    const first = await openPgMigrations({ url: scoped, applicationName: 'first' });
    const second = await openPgMigrations({ url: scoped, applicationName: 'second', lockWaitMs: 100 });
    await first.takeLock();
    await expect(second.takeLock()).rejects.toMatchObject({ code: 'MIGRATION_LOCKED', retryable: true });
    await first.close();
    await expect(second.takeLock()).resolves.toBeUndefined();
    await second.close();
  });

  it('is not touched when the command or the address is wrong', async () => {
    expect(await migrate('down')).toMatchObject({ code: 2, err: expect.stringContaining('usage') as string });
    const wrong = await migrate('up', { PG_URL: 'mysql://u:hunter2@h/x' });
    expect(wrong.code).toBe(1);
    expect(wrong.err).toContain(
      'demo migrate cannot start: 1 problem in the environment\n  PG_URL  expected a URL postgres://',
    );
    expect(wrong.err).not.toContain('hunter2');
    expect((await migrate('up', {})).err).toContain('PG_URL  required, not set');
    const away = await migrate('up', { PG_URL: 'postgres://u:hunter2@127.0.0.1:1/x' });
    expect([away.code, /ECONNREFUSED/.test(away.err), /hunter2/.test(away.err)]).toEqual([1, true, false]);
  });
});
