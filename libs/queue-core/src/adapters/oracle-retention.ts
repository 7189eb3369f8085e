import type { QueueRetention } from '../operations.js';
import type { Binds } from './oracle-binds.js';
import type { InSession } from './oracle-statements.js';

export function retaining(inSession: InSession, binds: Binds): QueueRetention {
  return {
    purgeFinished({ itemType, minAgeSeconds, limit }) {
      const request = {
        item_type: binds.text(itemType),
        min_age_seconds: binds.number(minAgeSeconds),
        max_items: binds.number(limit),
        items: binds.outNumber(),
        contexts: binds.outNumber(),
      };
      return inSession('purge_finished', (session) =>
        session.execute<{ items: number; contexts: number }>('purge_finished', request, { autoCommit: true }),
      );
    },
    pruneAudit({ minAgeSeconds, limit }) {
      const request = {
        min_age_seconds: binds.number(minAgeSeconds),
        max_rows: binds.number(limit),
        removed: binds.outNumber(),
      };
      return inSession('prune_audit', (session) =>
        session.execute<{ removed: number }>('prune_audit', request, { autoCommit: true }),
      );
    },
  };
}
