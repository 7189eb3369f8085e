import { Pool } from 'pg';
import type { Queryable } from '../ports.js';
import { describeOutbox } from '../testing.js';
import { corner, executed } from '../testing/harness.js';
import type { OutboxHarness } from '../testing/harness.js';
import { createPgOutbox } from './pg-outbox.js';

function makeHarness(): OutboxHarness & { pool: Pool } {
  const pool = new Pool({ connectionString: process.env['PG_URL'], max: 12 });
  return {
    pool,
    outbox: createPgOutbox(pool),
    transaction: (work) => inTransaction(pool, work),
    close: () => pool.end(),
  };
}

async function inTransaction<T>(pool: Pool, work: (db: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

describeOutbox('PostgreSQL', () => Promise.resolve(makeHarness()));

describe('outbox in PostgreSQL, by its locks', () => {
  let harness: ReturnType<typeof makeHarness>;
  beforeAll(() => {
    harness = makeHarness();
  });
  afterAll(() => harness.close());

  async function settleIsWaiting(): Promise<boolean> {
    const { rows } = await harness.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
       AND query LIKE '%payment_outbox_settle%'`,
    );
    return rows.length > 0;
  }

  it('does not forget an instruction that is being enqueued while its participant runs empty', async () => {
    const { enqueue, entry, claim, claimOne, settle } = corner(() => harness);
    await enqueue(entry('p', 'a'));
    const first = await claimOne();
    let settled = false;
    let settling: Promise<unknown> = Promise.resolve();
    await harness.transaction(async (db) => {
      await harness.outbox.enqueue(db, [entry('p', 'b')]);
      settling = settle(first, executed).then(() => (settled = true));
      while (!settled && !(await settleIsWaiting()));
    });
    await settling;
    expect((await claim()).map((one) => one.sequenceId)).toEqual([2]);
  });

  it.each([
    ['UPDATE', `UPDATE payment_outbox_attempts SET state = 'DISPATCHED' WHERE instruction_id = $1`],
    ['DELETE', 'DELETE FROM payment_outbox_attempts WHERE instruction_id = $1'],
    ['TRUNCATE', 'TRUNCATE payment_outbox_attempts'],
  ])('refuses %s on the attempts', async (operation, statement) => {
    const { enqueue, entry, claimOne } = corner(() => harness);
    await enqueue(entry('p', 'a'));
    const { instructionId } = await claimOne();
    const change = harness.pool.query(statement, operation === 'TRUNCATE' ? [] : [instructionId]);
    await expect(change).rejects.toMatchObject({
      code: '42501',
      message: expect.stringContaining(operation) as string,
    });
  });
});
