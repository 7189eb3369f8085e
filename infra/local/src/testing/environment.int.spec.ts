import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { pingRedis } from '../servers/redis-ping.js';
import { dropDatabase } from './databases.js';

const repository = join(__dirname, '..', '..', '..', '..');
const environment = process.env as Record<string, string>;

async function query(statement: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: environment.PG_URL });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return rows.map((row) => Object.values(row)[0]);
  } finally {
    await client.end();
  }
}

describe('the surroundings of an integration spec', () => {
  it('give the file a database of its own, under its own name', async () => {
    expect(environment.TEST_NAME).toMatch(/^t_environment_[a-z0-9_]+$/);
    expect(await query('SELECT current_database()')).toEqual([environment.TEST_NAME]);
  });

  it('have brought that database to the schema of all apps', async () => {
    const tables = await query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`);
    expect(tables).toEqual(expect.arrayContaining(['payments', 'exec_queue', 'payment_outbox_pending']));
  });

  it('name servers and simulators that answer', async () => {
    await pingRedis(environment.REDIS_URL ?? '');
    for (const url of [environment.RAIL_URL, environment.SINK_URL]) {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    }
  });

  it('show no variable with our prefix, since a service would refuse it', () => {
    expect(Object.keys(environment).filter((name) => name.startsWith('SLUICE_'))).toEqual([]);
  });
});

describe('a test that fails', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'failing-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  /** A run of its own over two files, on the servers of this one. */
  async function runBoth(): Promise<string> {
    await writeFile(join(folder, 'bad.fixture.js'), `it('fails', () => { expect(1).toBe(2); });`);
    await writeFile(join(folder, 'good.fixture.js'), `it('holds', () => { expect(1).toBe(1); });`);
    const jest = join(repository, 'node_modules', 'jest', 'bin', 'jest.js');
    const args = [
      '-c',
      'jest.int.config.cjs',
      '--roots',
      folder,
      '--testMatch',
      '**/*.fixture.js',
      '--runInBand',
    ];
    const child = spawn(process.execPath, [jest, ...args], { cwd: repository, env: environment });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
    await new Promise((resolve) => child.once('close', resolve));
    return output;
  }

  it('keeps the database of its file, and only that', async () => {
    const output = await runBoth();
    const kept = /psql \S+\/(t_bad_fixture_js_\w+)/.exec(output)?.[1];
    expect(output).toContain('kept on the server that PG_URL names');
    expect(
      await query(`SELECT datname FROM pg_database WHERE datname LIKE 't\\_%\\_fixture\\_js\\_%'`),
    ).toEqual([kept]);
    await dropDatabase(environment.PG_URL ?? '', kept ?? '');
  });
});
