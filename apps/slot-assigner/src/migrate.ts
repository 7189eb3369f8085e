import { rateWindowMigrations } from '@sluice/rate-window';
import { migrateCommand } from '@sluice/service-kit/migrations';

void migrateCommand({ name: 'slot-assigner', sets: [rateWindowMigrations] });
