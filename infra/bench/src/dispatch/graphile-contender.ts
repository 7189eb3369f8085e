import { EventEmitter } from 'node:events';
import { Logger, makeWorkerUtils, run, type WorkerEvents } from 'graphile-worker';
import { connectPool, onDatabase, urlOf } from '../databases.js';
import { batchSize, type Contender } from './contender.js';
import { context } from './queue-database.js';

const task = 'bench';
const concurrency = 24;
const connections = 8;
const insertedAtOnce = 5_000;
const silent = new Logger(() => () => undefined);

/** In its fastest form: jobs come by the batch into its local queue and are completed by the batch. */
const preset = {
  worker: { localQueue: { size: batchSize }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
};

export const graphileWorker: Contender = {
  name: 'graphile-worker: local queue',
  template: {
    database: 'template_graphile',
    async fill(server, rows) {
      await onDatabase(server.url, 'CREATE DATABASE template_graphile');
      const url = urlOf(server.url, 'template_graphile');
      const utils = await makeWorkerUtils({ connectionString: url, logger: silent });
      await utils.migrate();
      for (let done = 0; done < rows; done += insertedAtOnce) {
        const length = Math.min(insertedAtOnce, rows - done);
        await utils.addJobs(Array.from({ length }, () => ({ identifier: task, payload: context })));
      }
      await utils.release();
      await onDatabase(url, 'VACUUM (ANALYZE)');
    },
  },
  async drain(url, rows) {
    const pool = connectPool(url, connections);
    const events: WorkerEvents = new EventEmitter();
    let began = 0;
    let completed = 0;
    // From its first job to its last completion: its start-up is not its speed.
    const finished = new Promise<number>((resolve) => {
      events.once('job:start', () => (began = performance.now()));
      events.on('job:complete', () => {
        if (++completed === rows) resolve(performance.now());
      });
    });
    const runner = await run({
      pgPool: pool,
      events,
      concurrency,
      logger: silent,
      noHandleSignals: true,
      preset,
      taskList: { [task]: () => undefined },
    });
    const ended = await finished;
    await runner.stop();
    const { rows: left } = await pool.query<{ jobs: number }>(
      'SELECT count(*)::integer AS jobs FROM graphile_worker.jobs',
    );
    await pool.end();
    if (left[0]?.jobs !== 0) throw new Error(`${left[0]?.jobs} jobs were left over`);
    return { ms: ended - began, figures: {} };
  },
};
