import { queueMigrations } from '@sluice/queue-core';
import { migrateCommand } from '@sluice/service-kit/migrations';
import { ingestMigrations } from './migration-set.js';

void migrateCommand({ name: 'ingest', sets: [...ingestMigrations, queueMigrations] });
