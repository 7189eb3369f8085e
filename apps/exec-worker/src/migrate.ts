import { outboxMigrations } from '@sluice/outbox';
import { paymentsMigrations } from '@sluice/payments';
import { migrateCommand } from '@sluice/service-kit/migrations';
import { execWorkerMigrations } from './migrations.js';

void migrateCommand({
  name: 'exec-worker',
  sets: [paymentsMigrations, outboxMigrations, execWorkerMigrations],
});
