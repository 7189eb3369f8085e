import { QueueStoreError } from '../errors.js';
import type { QueueOperations } from '../operations.js';
import type { Binds } from './oracle-binds.js';
import type { InSession } from './oracle-statements.js';
import { toChangeEntry, toExhaustedItem } from './queue-rows.js';
import type { ChangeRow, ExhaustedRow } from './queue-rows.js';

export function listing(
  inSession: InSession,
  binds: Binds,
): Pick<QueueOperations, 'listExhausted' | 'listChanges'> {
  return {
    async listExhausted({ itemType, filter = {}, after, limit }) {
      // One more than asked for tells whether there is another page.
      const request = {
        item_type: binds.text(itemType),
        error_part: binds.text(filter.errorContains ?? null),
        exhausted_from: binds.instant(filter.exhaustedFrom ?? null),
        exhausted_before: binds.instant(filter.exhaustedBefore ?? null),
        after_at: binds.text(after ? toMicroseconds(after.at) : null),
        after_id: binds.text(after?.itemId ?? null),
        max_rows: binds.number(limit + 1),
      };
      const rows = await inSession('list_exhausted', (session) =>
        session.query<ExhaustedRow>('list_exhausted', request, limit + 1),
      );
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      return {
        items: page.map(toExhaustedItem),
        next: last ? { at: last.cursor_at, itemId: last.item_id } : null,
      };
    },
    async listChanges({ itemType, after, limit }) {
      const request = {
        item_type: binds.text(itemType),
        below: binds.text(after ?? null),
        max_rows: binds.number(limit + 1),
      };
      const rows = await inSession('list_changes', (session) =>
        session.query<ChangeRow>('list_changes', request, limit + 1),
      );
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      return { changes: page.map(toChangeEntry), next: last?.audit_id ?? null };
    },
  };
}

export function counting(
  inSession: InSession,
  binds: Binds,
): Pick<QueueOperations, 'measureMinutes' | 'countFinished'> {
  return {
    async measureMinutes({ itemType, from, minutes, capPerMinute }) {
      const request = {
        item_type: binds.text(itemType),
        first_instant: binds.instant(from ?? null),
        max_minutes: binds.number(minutes),
        cap: binds.number(capPerMinute),
        minutes: binds.outWords(minutes),
        ready: binds.outNumbers(minutes),
      };
      const counted = await inSession('measure_minutes', (session) =>
        session.execute<{ minutes: readonly string[] | null; ready: readonly number[] | null }>(
          'measure_minutes',
          request,
          { autoCommit: false },
        ),
      );
      return (counted.minutes ?? []).map((minute, index) => {
        const ready = counted.ready?.[index] ?? 0;
        return {
          minute: new Date(minute),
          ready: Math.min(ready, capPerMinute),
          exact: ready <= capPerMinute,
        };
      });
    },
    async countFinished(itemType, cap) {
      const request = { item_type: binds.text(itemType), cap: binds.number(cap) };
      const [row] = await inSession('count_finished', (session) =>
        session.query<{ dispatched: number; cancelled: number }>('count_finished', request),
      );
      return { dispatched: row?.dispatched ?? 0, cancelled: row?.cancelled ?? 0 };
    },
  };
}

/** The one form that the statement reads, whatever number of digits the caller has. */
function toMicroseconds(at: string): string {
  const [, seconds, digits = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?Z$/.exec(at) ?? [];
  if (seconds !== undefined) return `${seconds}.${digits.padEnd(6, '0')}Z`;
  const cause = new Error(`the cursor is at ${at}, which is no ISO 8601 instant in UTC`);
  throw new QueueStoreError({ code: 'STORE_REFUSED', operation: 'list_exhausted', cause });
}
