import { OutboxConflictError } from './errors.js';
import { fingerprint } from './fingerprint.js';
import type { OutboxEntry } from './ports.js';

export interface PreparedEntry {
  readonly entry: OutboxEntry;
  readonly outboxId: string;
  readonly requestHash: string;
}

export interface PreparedBatch {
  readonly distinct: readonly PreparedEntry[];
  /** for each entry as it came in: its place in `distinct`, and whether it repeats an earlier one of the same batch */
  readonly places: readonly { readonly index: number; readonly repeated: boolean }[];
}

/** Gives every entry its id and fingerprint, and folds repetitions inside the batch. */
export function prepareBatch(entries: readonly OutboxEntry[], newId: () => string): PreparedBatch {
  const distinct: PreparedEntry[] = [];
  const byInstruction = new Map<string, number>();
  const byKey = new Map<string, number>();
  const conflicts = new Set<string>();

  const places = entries.map((entry) => {
    const key = JSON.stringify([entry.participantId, entry.idempotencyKey]);
    const requestHash = fingerprint(entry);
    const known = byInstruction.get(entry.instructionId) ?? byKey.get(key);
    if (known !== undefined) {
      if (distinct[known]?.requestHash !== requestHash) conflicts.add(entry.instructionId);
      return { index: known, repeated: true };
    }
    const index = distinct.push({ entry, outboxId: newId(), requestHash }) - 1;
    byInstruction.set(entry.instructionId, index);
    byKey.set(key, index);
    return { index, repeated: false };
  });

  if (conflicts.size > 0) throw new OutboxConflictError([...conflicts]);
  return { distinct, places };
}
