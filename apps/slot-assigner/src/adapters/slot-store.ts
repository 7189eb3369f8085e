import {
  createOracleRateConfigStore,
  createOracleSlotStore,
  createPgRateConfigStore,
  createPgSlotStore,
  rateWindowMigrations,
} from '@sluice/rate-window';
import type { Closable, Dependency, Logger, StartCheck, Worker } from '@sluice/service-kit';
import { pgSchemaCheck } from '@sluice/service-kit/migrations';
import { connectOracle, oracleDependency, oracleSchemaCheck } from '@sluice/service-kit/oracle';
import { connectPg, pgDependency } from '@sluice/service-kit/pg';
import type { StoreAddress } from '../config.js';
import type { Announcements, Notice, RateConfigStore, SlotStore } from '../ports.js';
import { createPgAnnouncements, pgNoticeListener } from './pg-announcements.js';

interface ConnectedStore {
  readonly slots: SlotStore;
  readonly configs: RateConfigStore;
  readonly announcements: Announcements;
  /** What has to run for notices to be heard. */
  listen(onNotice: (notice: Notice) => void): readonly Worker[];
  readonly dependency: Dependency;
  readonly startCheck: StartCheck;
  readonly close: readonly Closable[];
}

const name = 'slot-assigner';
const sets = [rateWindowMigrations];
const statementTimeoutMs = 10_000;

/** Rate limits and slots, in the database that QUEUE_STORE names. */
export function connectSlotStore({ store, url }: StoreAddress, log: Logger): ConnectedStore {
  return store === 'oracle' ? inOracle(url) : inPostgres(url, log);
}

function inPostgres(url: string, log: Logger): ConnectedStore {
  const pool = connectPg({ url, applicationName: name, statementTimeoutMs, log });
  const listening = connectPg({
    url,
    applicationName: `${name}-listener`,
    poolSize: 1,
    statementTimeoutMs: 5_000,
    log,
  });
  return {
    slots: createPgSlotStore(pool),
    configs: createPgRateConfigStore(pool),
    announcements: createPgAnnouncements(pool),
    listen: (onNotice) => [pgNoticeListener({ pool: listening, onNotice, log })],
    dependency: pgDependency(pool),
    startCheck: pgSchemaCheck(pool, sets),
    close: [
      { name: 'postgres-listener', close: () => listening.end() },
      { name: 'postgres', close: () => pool.end() },
    ],
  };
}

/** Without notices: each node forgets by age, and an assignment under a version that was replaced is made again anyway. */
function inOracle(url: string): ConnectedStore {
  const pool = connectOracle({ url });
  return {
    slots: createOracleSlotStore(pool),
    configs: createOracleRateConfigStore(pool),
    announcements: { announce: async () => false },
    listen: () => [],
    dependency: oracleDependency(pool),
    startCheck: oracleSchemaCheck(url, sets),
    close: [pool],
  };
}
