import { QueueStoreError } from '../errors.js';
import type { Claim, ClaimedItem, ClaimRequest } from '../ports.js';
import { requireTexts } from '../storable-text.js';
import type { Binds } from './oracle-binds.js';
import type { InSession } from './oracle-statements.js';
import type { TakenRow } from './queue-rows.js';

interface Taken {
  readonly claimed_at: string;
  readonly claimed: number;
  readonly reclaimed: readonly string[] | null;
  readonly exhausted: readonly string[] | null;
}

type ClaimedRow = Omit<TakenRow, 'queue_status' | 'reclaimed'>;

/** One transaction: when the contexts cannot be read, nothing was claimed and no retry is lost. */
export async function claimBatch(
  inSession: InSession,
  binds: Binds,
  { itemType, token, limit }: ClaimRequest,
): Promise<Claim> {
  requireTexts('claim_batch', { token });
  if (limit === 0) return { items: [], withoutContext: [], exhausted: [] };
  return inSession('claim_batch', async (session) => {
    const taken = await session.execute<Taken>(
      'claim_batch',
      {
        item_type: binds.text(itemType),
        token: binds.text(token),
        max_items: binds.number(limit),
        claimed_at: binds.outWord(),
        claimed: binds.outNumber(),
        reclaimed: binds.outWords(limit),
        exhausted: binds.outWords(limit),
      },
      { autoCommit: false },
    );
    const claimedRows = {
      item_type: binds.text(itemType),
      token: binds.text(token),
      claimed_at: binds.text(taken.claimed_at),
    };
    const rows =
      taken.claimed > 0 ? await session.query<ClaimedRow>('read_claimed_items', claimedRows, limit) : [];
    if (rows.length !== taken.claimed) throw unlike(taken.claimed, rows.length);
    await session.commit();
    return sortOut(rows, taken);
  });
}

function sortOut(rows: readonly ClaimedRow[], { reclaimed, exhausted }: Taken): Claim {
  const takenOver = new Set(reclaimed ?? []);
  const items: ClaimedItem[] = [];
  const withoutContext: string[] = [];
  for (const row of rows) {
    if (row.context_json === null || row.context_version === null) withoutContext.push(row.item_id);
    else
      items.push({
        itemId: row.item_id,
        contextJson: row.context_json,
        contextVersion: row.context_version,
        scheduledExecTime: row.scheduled_exec_time,
        msUntilDue: row.ms_until_due,
        retryCount: row.retry_count,
        reclaimed: takenOver.has(row.item_id),
      });
  }
  return { items, withoutContext, exhausted: exhausted ?? [] };
}

function unlike(claimed: number, read: number): QueueStoreError {
  const cause = new Error(
    `${claimed} items were claimed, but ${read} could be read; is the token used twice?`,
  );
  return new QueueStoreError({ code: 'STORE_UNAVAILABLE', operation: 'read_claimed_items', cause });
}
