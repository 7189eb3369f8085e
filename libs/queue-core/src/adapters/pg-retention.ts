import type { QueueRetention } from '../operations.js';
import type { RunStatement } from './pg-statements.js';

export function retaining(run: RunStatement): QueueRetention {
  return {
    async purgeFinished({ itemType, minAgeSeconds, limit }) {
      const [row] = await run<{ items: number; contexts: number }>('purge_finished', [
        itemType,
        minAgeSeconds,
        limit,
      ]);
      return { items: row?.items ?? 0, contexts: row?.contexts ?? 0 };
    },
    async pruneAudit({ minAgeSeconds, limit }) {
      const [row] = await run<{ removed: number }>('prune_audit', [minAgeSeconds, limit]);
      return { removed: row?.removed ?? 0 };
    },
  };
}
