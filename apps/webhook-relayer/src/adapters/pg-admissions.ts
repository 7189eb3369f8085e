import type { Admitted, EventAdmissions } from '../api-ports.js';
import type { Database } from './database.js';
import { loadSql } from './sql.js';

interface AdmissionRow {
  admitted: boolean;
  sha256: Buffer | null;
  occurred_at: Date | null;
  body: Buffer | null;
}

export function createPgAdmissions(database: Database): EventAdmissions {
  const sql = loadSql('admit_event');
  return {
    async admit({ tenantId, eventId, sha256, occurredAt }) {
      // A statement that lost the race to insert does not see the winner's row; the next one does.
      for (let round = 1; round <= 3; round += 1) {
        const rows = await database.query<AdmissionRow>(sql, [tenantId, eventId, sha256, occurredAt]);
        const found = rows.map(toAdmitted)[0];
        if (found !== undefined) return found;
      }
      throw new Error('an event could neither be admitted nor found');
    },
  };
}

function toAdmitted({ admitted, sha256, occurred_at, body }: AdmissionRow): Admitted | undefined {
  if (admitted) return { kind: 'admitted' };
  if (sha256 !== null && occurred_at !== null) {
    return { kind: 'known', sha256, occurredAt: occurred_at, isStored: body !== null };
  }
  return body === null ? undefined : { kind: 'stored', body };
}
