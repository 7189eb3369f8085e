import { queueMigrations } from '@sluice/queue-core';
import { migrateCommand } from '@sluice/service-kit/migrations';

void migrateCommand({ name: 'dispatcher', sets: [queueMigrations] });
