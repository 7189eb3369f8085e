import type { Pool } from 'pg';
import type { OutboxMaintenance, OutboxOperations } from '../operations.js';
import type { OutboxProducer, OutboxStore } from '../ports.js';
import type { OutboxViews } from '../views.js';
import { maintenance } from './pg-maintenance.js';
import { operations } from './pg-operations.js';
import { producer } from './pg-producer.js';
import { store } from './pg-store.js';
import { views } from './pg-views.js';
import { loadStatements } from './statements.js';

export interface PgOutbox
  extends OutboxProducer, OutboxStore, OutboxViews, OutboxOperations, OutboxMaintenance {}

/** The outbox on PostgreSQL 15 or later; the tables come from `outboxMigrations`. */
export function createPgOutbox(pool: Pool): PgOutbox {
  const run = loadStatements();
  const see = views(pool, run);
  return {
    ...producer(pool, run),
    ...store(pool, run),
    ...see,
    ...operations(pool, run, see),
    ...maintenance(pool, run),
  };
}
