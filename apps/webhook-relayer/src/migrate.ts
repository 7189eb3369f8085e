import { outboxMigrations } from '@sluice/outbox';
import { migrateCommand } from '@sluice/service-kit/migrations';
import { webhookMigrations } from './migrations.js';

void migrateCommand({ name: 'webhook-relayer', sets: [outboxMigrations, webhookMigrations] });
