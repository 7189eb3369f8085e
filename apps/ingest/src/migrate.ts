import { paymentsMigrations } from '@sluice/payments';
import { queueMigrations } from '@sluice/queue-core';
import { migrateCommand } from '@sluice/service-kit/migrations';

void migrateCommand({ name: 'ingest', sets: [paymentsMigrations, queueMigrations] });
