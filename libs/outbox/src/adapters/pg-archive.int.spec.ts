import { Pool } from 'pg';
import { corner, executed } from '../testing/harness.js';
import { createPgOutbox } from './pg-outbox.js';

let pool: Pool;
beforeAll(() => {
  pool = new Pool({ connectionString: process.env['PG_URL'], max: 5 });
});
afterAll(() => pool.end());

const monthName = (ahead: number): string => {
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead));
  return `payment_outbox_attempts_${month.toISOString().slice(0, 7).replace('-', '_')}`;
};

describe('the archive of attempts', () => {
  it('gets the partitions of the months to come, once', async () => {
    const outbox = createPgOutbox(pool);
    const first = await outbox.maintainPartitions({ monthsAhead: 5 });
    expect(first).toEqual({ created: [monthName(4), monthName(5)], dropped: [], strays: 0 });
    const again = await Promise.all([1, 2].map(() => outbox.maintainPartitions({ monthsAhead: 5 })));
    expect(again.flatMap((report) => report.created)).toEqual([]);
  });

  it('loses whole months by age and nothing else', async () => {
    const outbox = createPgOutbox(pool);
    const [old, kept] = [monthName(-14), monthName(-13)];
    // What came before this month is open towards the past, so old months are made beside it for this test only.
    await pool.query(
      `CREATE TABLE ${old} (LIKE payment_outbox_attempts INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
    );
    await pool.query(
      `CREATE TABLE ${kept} (LIKE payment_outbox_attempts INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
    );
    await pool.query(`ALTER TABLE payment_outbox_attempts DETACH PARTITION ${monthName(0)}`);
    for (const [name, from, to] of [
      [old, -14, -13],
      [kept, -13, -12],
      [monthName(0), 0, 1],
    ] as const) {
      const bound = (ahead: number) => `'${monthName(ahead).slice(-7).replace('_', '-')}-01T00:00:00Z'`;
      await pool.query(
        `ALTER TABLE payment_outbox_attempts ATTACH PARTITION ${name} FOR VALUES FROM (${bound(from)}) TO (${bound(to)})`,
      );
    }
    const report = await outbox.maintainPartitions({ monthsAhead: 3, keepMonths: 13 });
    expect(report.dropped).toEqual([old]);
    await expect(outbox.maintainPartitions({ monthsAhead: 0 })).rejects.toMatchObject({ code: '22023' });
  });

  it('is added to and read, never changed, by the role that relays', async () => {
    const role = `relay_${process.env['TEST_NAME'] ?? 'alone'}`.slice(0, 60);
    await pool.query(`CREATE ROLE ${role} LOGIN`);
    const url = new URL(process.env['PG_URL'] ?? '');
    try {
      await pool.query('SELECT payment_outbox_grant($1)', [role]);
      url.username = role;
      const asRelay = new Pool({ connectionString: url.href, max: 2 });
      try {
        const outbox = createPgOutbox(asRelay);
        const here = corner(() => ({
          outbox,
          transaction: (work) => work(asRelay),
          close: () => asRelay.end(),
        }));
        await here.enqueue(here.entry('p', 'a'));
        expect(await here.settle(await here.claimOne(), executed)).toMatchObject({ kind: 'recorded' });
        expect(await outbox.maintainPartitions({ monthsAhead: 3 })).toMatchObject({ strays: 0 });
        for (const change of [
          `UPDATE payment_outbox_attempts SET state = 'FAILED'`,
          'DELETE FROM payment_outbox_attempts',
          'TRUNCATE payment_outbox_attempts',
          'DELETE FROM payment_outbox_keys',
        ]) {
          await expect(asRelay.query(change)).rejects.toMatchObject({
            code: '42501',
            message: expect.stringContaining('permission denied') as string,
          });
        }
        await expect(asRelay.query(`DROP TABLE ${monthName(0)}`)).rejects.toMatchObject({ code: '42501' });
      } finally {
        await asRelay.end();
      }
    } finally {
      await pool.query(`DROP OWNED BY ${role}`);
      await pool.query(`DROP ROLE ${role}`);
    }
  });
});
