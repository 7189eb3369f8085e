import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'pg';
import type { DispatchQueue } from '../ports.js';
import { settings } from '../testing/harness.js';
import { createPgQueue } from './pg-queue.js';

// How the statements of operators and retention behave on tables that are not small.

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

describe('operations on a large PostgreSQL store', () => {
  const itemType = 'LARGE';
  let pool: Pool;
  let queue: DispatchQueue;

  beforeAll(async () => {
    pool = new Pool({ connectionString: process.env['PG_URL'] });
    queue = createPgQueue(pool);
    await queue.writeConfig({ itemType, config: settings, by: 'test' });
    await pool.query(
      `INSERT INTO exec_queue (item_type, item_id, queue_status, scheduled_exec_time, init_workflow_id, updated_at)
       SELECT $1, 'ready-' || n, 'READY', timestamptz '2030-01-01T16:00:00Z' + n % 60 * interval '1 second', 'w', now()
         FROM generate_series(1, 60000) AS n
        UNION ALL
       SELECT $1, 'spread-' || n, 'READY', timestamptz '2030-01-01T16:01:00Z' + n * interval '1 second', 'w', now()
         FROM generate_series(1, 7200) AS n
        UNION ALL
       SELECT $1, 'done-' || n, 'DISPATCHED', now(), 'w', now() - n * interval '1 second' FROM generate_series(1, 20000) AS n
        UNION ALL
       SELECT $1, 'aside-' || n, 'EXHAUSTED', now(), 'w', now() - n * interval '1 second' FROM generate_series(1, 5000) AS n`,
      [itemType],
    );
    await pool.query(
      `INSERT INTO exec_context (item_type, item_id, context_json, context_version)
       SELECT item_type, item_id, '{}', 1 FROM exec_queue`,
    );
    await pool.query(
      `INSERT INTO dispatch_audit_log (item_type, item_id, action, actor)
       SELECT $1, 'done-' || n, 'DISPATCHED', CASE WHEN n % 1000 = 0 THEN 'ann' END FROM generate_series(1, 20000) AS n`,
      [itemType],
    );
    await pool.query('VACUUM (ANALYZE) exec_queue, exec_context, dispatch_audit_log');
  });
  afterAll(() => pool.end());

  /** Runs a statement of the store without keeping its effect, and returns every node of its plan. */
  async function nodesOf(name: string, values: unknown[]): Promise<PlanNode[]> {
    const text = readFileSync(join(__dirname, 'sql', 'pg', `${name}.sql`), 'utf8');
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const { rows } = await client.query<{ 'QUERY PLAN': readonly { Plan: PlanNode }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        values,
      );
      const walk = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(walk)];
      return (rows[0]?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => walk(Plan));
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  }

  it.each<[string, unknown[], number]>([
    ['measure_depth', [itemType, 1_000], 3_001],
    ['count_finished', [itemType, 1_000], 2_000],
    ['measure_minutes', [itemType, null, 30, 100], 30 * 101 + 30],
    ['list_exhausted', [itemType, null, null, null, null, null, 51], 60],
    ['list_changes', [itemType, null, 51], 51],
    ['purge_finished', [itemType, 3_600, 500], 500 * 4],
    ['requeue_items', [itemType, ['aside-1', 'aside-2'], 'x', 'ann'], 4],
    ['cancel_items', [itemType, ['ready-1', 'ready-2'], 'x', 'ann'], 4],
  ])('%s reads no more rows than it needs', async (name, values, most) => {
    const scans = (await nodesOf(name, values)).filter((node) => node['Relation Name']);
    expect(scans.length).toBeGreaterThan(0);
    const tables = ['exec_queue', 'exec_context', 'dispatch_audit_log'];
    const read = scans
      .filter((node) => tables.includes(node['Relation Name'] ?? '') && node['Node Type'].includes('Scan'))
      .map((node) => {
        expect(node['Node Type']).not.toBe('Seq Scan');
        return node['Actual Rows'] * node['Actual Loops'];
      });
    expect(read.reduce((sum, rows) => sum + rows, 0)).toBeLessThanOrEqual(most);
  });

  it('counts each minute up to the cap and goes on to the next', async () => {
    const minutes = await queue.measureMinutes({ itemType, minutes: 3, capPerMinute: 500 });
    expect(minutes).toEqual([
      { minute: new Date('2030-01-01T16:00:00Z'), ready: 500, exact: false },
      { minute: new Date('2030-01-01T16:01:00Z'), ready: 59, exact: true },
      { minute: new Date('2030-01-01T16:02:00Z'), ready: 60, exact: true },
    ]);
  });

  it('prunes the audit log from its old end, also past young rows that drew an early id', async () => {
    await pool.query('TRUNCATE dispatch_audit_log');
    await pool.query(
      `INSERT INTO dispatch_audit_log (audit_id, item_type, action, created_at) OVERRIDING SYSTEM VALUE
       SELECT n - 5000, $1, 'TEST', CASE WHEN n % 10 = 1 OR n > 1000 THEN now() ELSE now() - interval '2 days' END
         FROM generate_series(1, 2000) AS n`,
      [itemType],
    );
    const removed: number[] = [];
    for (let batch = 0; batch < 10; batch++) {
      removed.push((await queue.pruneAudit({ minAgeSeconds: 86_400, limit: 200 })).removed);
    }
    expect(removed).toEqual([200, 200, 200, 200, 100, 0, 0, 0, 0, 0]);
    const { rows } = await pool.query<{ n: number }>('SELECT count(*)::integer AS n FROM dispatch_audit_log');
    expect(rows[0]?.n).toBe(1_100);
  });

  it('leaves rows to others that are removing them', async () => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const request = { itemType, minAgeSeconds: 3_600, limit: 100 };
      const held = await createPgQueue(client).purgeFinished(request);
      const other = await queue.purgeFinished(request);
      expect([held.items, other.items]).toEqual([100, 100]);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  });
});
