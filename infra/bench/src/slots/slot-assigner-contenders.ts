import { createPgSlotStore } from '@sluice/rate-window';
import { connectPool, dropDatabase } from '../databases.js';
import {
  callers,
  inBatches,
  inLanes,
  instant,
  rateLimit,
  type Contender,
  type OpenContender,
  type Server,
} from './contender.js';
import { activate, createSlotDatabase, readFill } from './slot-database.js';
import { startSlotNode } from './slot-node.js';
import { connectSlotRequests, type SlotRequests } from './slot-requests.js';

export const batchSize = 1_000;
/** Enough to have the next batch there while the one before is answered. */
export const batchCallers = 4;

export const oneByOne: Contender = {
  name: `(b) slot-assigner, one by one over HTTP, ${callers} callers`,
  percent: 10,
  open: (server, name) =>
    openService(server, name, (requests, eventIds) =>
      inLanes(callers, eventIds, (eventId) => requests.one(eventId)),
    ),
};

export const batches: Contender = {
  name: `(c) slot-assigner, batches of ${batchSize} over HTTP`,
  percent: 100,
  open: (server, name) =>
    openService(server, name, (requests, eventIds) =>
      inLanes(batchCallers, inBatches(eventIds, batchSize), (batch) => requests.batch(batch)),
    ),
};

/** The library alone, in the process of its user. */
export const storeAlone: Contender = {
  name: `(c) rate-window, groups of ${batchSize} without HTTP`,
  percent: 100,
  async open(server, name) {
    const url = await createSlotDatabase(server, name);
    const pool = connectPool(url, 2);
    const config = await activate(pool, rateLimit);
    const store = createPgSlotStore(pool);
    return {
      async place(eventIds) {
        await inLanes(2, inBatches(eventIds, batchSize), async (batch) => {
          const requests = batch.map((eventId) => ({ eventId, requestedTime: instant }));
          const outcome = await store.assign(config, requests);
          const isPlaced =
            outcome.kind === 'answered' && outcome.answers.every(({ kind }) => kind === 'assigned');
          if (!isPlaced) throw new Error(`a group was not placed: ${outcome.kind}`);
        });
        return { refused: 0 };
      },
      fill: () => readFill(pool),
      async close() {
        await pool.end();
        await dropDatabase(server.url, name);
      },
    };
  },
};

async function openService(
  server: Server,
  name: string,
  place: (requests: SlotRequests, eventIds: readonly string[]) => Promise<void>,
): Promise<OpenContender> {
  const databaseUrl = await createSlotDatabase(server, name);
  const pool = connectPool(databaseUrl, 1);
  await activate(pool, rateLimit);
  const ports = server.stack.ports.services['slot-assigner'];
  const node = await startSlotNode(server.stack, server.repository, { databaseUrl, ports });
  const requests = connectSlotRequests(node.url, callers);
  return {
    async place(eventIds) {
      await place(requests, eventIds);
      return { refused: 0 };
    },
    fill: () => readFill(pool),
    async close() {
      await requests.close();
      await node.process.stop();
      await pool.end();
      await dropDatabase(server.url, name);
    },
  };
}
