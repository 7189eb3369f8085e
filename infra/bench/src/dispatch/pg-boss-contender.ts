import { PgBoss } from 'pg-boss';
import { connectPool, onDatabase, urlOf } from '../databases.js';
import { batchSize, callers, type Contender } from './contender.js';
import { context } from './queue-database.js';

const queue = 'bench';
const insertedAtOnce = 5_000;

/** Its upkeep (expiry, statistics, partitions) is off: only fetching and completing is measured. */
function connect(url: string, connections: number): PgBoss {
  const boss = new PgBoss({ connectionString: url, max: connections, supervise: false, schedule: false });
  // What fails in a call is thrown by the call; this is about its connections in the background.
  boss.on('error', () => undefined);
  return boss;
}

/** As its own users call it for speed: `fetch` and `complete` by the batch, several callers. */
export const pgBoss: Contender = {
  name: 'pg-boss: fetch + complete',
  template: {
    database: 'template_pg_boss',
    async fill(server, rows) {
      await onDatabase(server.url, 'CREATE DATABASE template_pg_boss');
      const url = urlOf(server.url, 'template_pg_boss');
      const boss = connect(url, 1);
      await boss.start();
      await boss.createQueue(queue);
      for (let done = 0; done < rows; done += insertedAtOnce) {
        const length = Math.min(insertedAtOnce, rows - done);
        await boss.insert(
          queue,
          Array.from({ length }, () => ({ data: context })),
        );
      }
      await boss.stop({ graceful: false });
      await onDatabase(url, 'VACUUM (ANALYZE)');
    },
  },
  async drain(url, rows) {
    const boss = connect(url, callers);
    await boss.start();
    let taken = 0;
    const caller = async (): Promise<void> => {
      for (;;) {
        const jobs = await boss.fetch(queue, { batchSize });
        if (jobs.length === 0) return;
        await boss.complete(
          queue,
          jobs.map((job) => job.id),
        );
        taken += jobs.length;
      }
    };
    const began = performance.now();
    await Promise.all(Array.from({ length: callers }, caller));
    const ms = performance.now() - began;
    await boss.stop({ graceful: false });
    await expectCompleted(url, { rows, taken });
    return { ms, figures: {} };
  },
};

async function expectCompleted(url: string, run: { rows: number; taken: number }): Promise<void> {
  const pool = connectPool(url, 1);
  const { rows } = await pool.query<{ completed: number }>(
    `SELECT count(*)::integer AS completed FROM pgboss.job WHERE state = 'completed'`,
  );
  await pool.end();
  if (rows[0]?.completed !== run.rows || run.taken !== run.rows) {
    throw new Error(
      `${run.rows} jobs were to be completed, ${rows[0]?.completed} are, ${run.taken} were taken`,
    );
  }
}
