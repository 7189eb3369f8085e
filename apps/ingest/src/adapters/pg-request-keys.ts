import { z } from 'zod';
import type { Queryable } from '@sluice/payments';
import type { RequestKeys, Retention } from '../ports.js';
import { loadSql } from './sql.js';

const KeyRow = z.object({ fingerprint: z.string() });

/** Idempotency keys in PostgreSQL. */
export function pgRequestKeys(db: Queryable): RequestKeys & Retention {
  const sql = {
    claim: loadSql('claim_request_key'),
    find: loadSql('find_request_key'),
    prune: loadSql('prune_request_keys'),
  };
  return {
    async claim({ callerId, key, fingerprint }) {
      const claimed = await db.query(sql.claim, [callerId, key, fingerprint]);
      if (claimed.rows.length > 0) return 'new';
      const [known] = (await db.query(sql.find, [callerId, key])).rows.map((row) => KeyRow.parse(row));
      if (known === undefined) throw new Error('the key was neither written nor found; try again');
      return known.fingerprint === fingerprint ? 'same' : 'other';
    },
    async prune(olderThan, atMost) {
      return (await db.query(sql.prune, [olderThan, atMost])).rows.length;
    },
  };
}
