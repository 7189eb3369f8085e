import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import { QueueStoreError } from '../errors.js';
import { describeDispatchQueue } from '../testing.js';
import { newItem, newItems, newItemType, settings, unconfiguredItemType } from '../testing/harness.js';
import type { QueueHarness } from '../testing/harness.js';
import { createPgQueue } from './pg-queue.js';

async function makeHarness(): Promise<QueueHarness & { pool: Pool }> {
  const pool = new Pool({ connectionString: process.env['PG_URL'], max: 10 });
  return {
    pool,
    queue: createPgQueue(pool),
    async passTime(itemType, minutes) {
      await pool.query(
        `UPDATE exec_queue
            SET claimed_at = claimed_at - make_interval(mins => $2), retry_after = retry_after - make_interval(mins => $2),
                updated_at = updated_at - make_interval(mins => $2)
          WHERE item_type = $1`,
        [itemType, minutes],
      );
      await pool.query(
        `UPDATE dispatch_audit_log SET created_at = created_at - make_interval(mins => $2) WHERE item_type = $1`,
        [itemType, minutes],
      );
    },
    async dropContext(itemType, itemId) {
      await pool.query('DELETE FROM exec_context WHERE item_type = $1 AND item_id = $2', [itemType, itemId]);
    },
    async claimAndHold(request) {
      const client = await pool.connect();
      await client.query('BEGIN');
      const claim = await createPgQueue(client).claim(request);
      const end = async (how: 'COMMIT' | 'ROLLBACK') => {
        await client.query(how);
        client.release();
      };
      return { claim, commit: () => end('COMMIT'), rollBack: () => end('ROLLBACK') };
    },
    async inTimeZone(zone) {
      const abroad = new Pool({ connectionString: process.env['PG_URL'], options: `-c TimeZone=${zone}` });
      const { rows } = await abroad.query<{ TimeZone: string }>('SHOW TimeZone');
      if (rows[0]?.TimeZone !== zone) throw new Error(`the session is not in ${zone}`);
      return { queue: createPgQueue(abroad), close: () => abroad.end() };
    },
    close: () => pool.end(),
  };
}

describeDispatchQueue('PostgreSQL', makeHarness);

describe('the PostgreSQL store', () => {
  let harness: Awaited<ReturnType<typeof makeHarness>>;
  beforeAll(async () => {
    harness = await makeHarness();
  });
  afterAll(() => harness.close());

  it('locks only the rows it takes, also when both legs have some', async () => {
    const itemType = await newItemType(harness);
    await harness.queue.enqueue(newItems(itemType, 20));
    await harness.queue.claim({ itemType, token: 'LOST', limit: 3 });
    await harness.passTime(itemType, 3);
    const client = await harness.pool.connect();
    try {
      await client.query('BEGIN');
      const inside = await createPgQueue(client).claim({ itemType, token: 'OPEN', limit: 5 });
      expect(inside.items).toHaveLength(5);
      const { items } = await harness.queue.claim({ itemType, token: 'OTHER', limit: 100 });
      expect(items).toHaveLength(15);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  });

  it('walks the index of each leg and never the table', async () => {
    const itemType = await newItemType(harness);
    await harness.queue.enqueue(newItems(itemType, 3_000));
    await harness.pool.query('ANALYZE exec_queue, exec_context');
    const claim = readFileSync(join(__dirname, 'sql', 'pg', 'claim_batch.sql'), 'utf8');
    const { rows } = await harness.pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN (COSTS OFF) ${claim}`, [
      itemType,
      'A',
      50,
    ]);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('using ix_exec_queue_claimed');
    expect(plan).toContain('using ix_exec_queue_ready');
    expect(plan).not.toMatch(/Seq Scan on exec_(queue|context)/);
  });

  it('writes down who changed a config, with the values before and after', async () => {
    const itemType = unconfiguredItemType();
    await harness.queue.writeConfig({ itemType, config: settings, by: 'ann' });
    await harness.queue.writeConfig({ itemType, config: { ...settings, enabled: false }, by: 'ben' });
    const { rows } = await harness.pool.query<{ actor: string; detail: string }>(
      'SELECT actor, detail FROM dispatch_audit_log WHERE item_type = $1 ORDER BY audit_id',
      [itemType],
    );
    expect(rows.map((row) => row.actor)).toEqual(['ann', 'ben']);
    expect(JSON.parse(rows[1]?.detail ?? '')).toMatchObject({
      before: { enabled: true },
      after: { enabled: false },
    });
  });

  it('tells a refusal from a store that is away', async () => {
    const refused = await harness.queue
      .enqueue([newItem('not-a-type', 'a')])
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(QueueStoreError);
    expect(refused).toMatchObject({ code: 'STORE_REFUSED', retryable: false });
    const nowhere = new Pool({ connectionString: 'postgres://postgres@127.0.0.1:1/none' });
    const away = await createPgQueue(nowhere)
      .listConfigs()
      .catch((error: unknown) => error);
    expect(away).toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    await nowhere.end();
  });

  it('enqueues nothing at all when one item of a call is refused', async () => {
    const itemType = await newItemType(harness);
    const items = [newItem(itemType, 'good'), newItem(itemType, 'x'.repeat(201))];
    await expect(harness.queue.enqueue(items)).rejects.toMatchObject({ code: 'STORE_REFUSED' });
    expect(await harness.queue.findItem(itemType, 'good')).toBeNull();
  });
});
