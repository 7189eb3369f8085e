import type { Pool } from 'pg';
import type { OutboxMaintenance } from '../operations.js';
import type { Run } from './statements.js';

const countStraysUpTo = 100_000;

export function maintenance(pool: Pool, run: Run): OutboxMaintenance {
  return {
    async maintainPartitions({ monthsAhead, keepMonths }) {
      const changes = await run<{ change: 'created' | 'dropped'; partition_name: string }>(
        pool,
        'maintain_attempts',
        [monthsAhead, keepMonths],
      );
      const names = (wanted: string) =>
        changes.filter(({ change }) => change === wanted).map((row) => row.partition_name);
      const [row] = await run<{ strays: string }>(pool, 'count_stray_attempts', [countStraysUpTo]);
      return { created: names('created'), dropped: names('dropped'), strays: Number(row?.strays ?? 0) };
    },
  };
}
