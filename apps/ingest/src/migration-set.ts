import { join } from 'node:path';
import { outboxMigrations } from '@sluice/outbox';
import { paymentRulesMigrations, paymentsMigrations } from '@sluice/payments';

/** What must be in the database of the payments, in this order: the intake's own tables come with indexes on theirs. */
export const ingestMigrations = [
  paymentsMigrations,
  paymentRulesMigrations,
  outboxMigrations,
  { component: 'ingest', pg: join(__dirname, 'migrations', 'pg') },
];
