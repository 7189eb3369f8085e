import { fingerprint } from './fingerprint.js';
import type { OutboxEntry } from './ports.js';

export interface PreparedEntry {
  readonly entry: OutboxEntry;
  readonly outboxId: string;
  readonly requestHash: string;
}

/** Where an entry as it came in went. */
export interface Place {
  readonly instructionId: string;
  /** in `distinct` */
  readonly index: number;
  /** an earlier entry of the same batch says the same */
  readonly repeats: boolean;
  /** an earlier entry of the same batch has its id or key and says something else */
  readonly conflicts: boolean;
}

export interface PreparedBatch {
  readonly distinct: readonly PreparedEntry[];
  readonly places: readonly Place[];
}

/** Gives every entry its id and fingerprint, and folds repetitions inside the batch. */
export function prepareBatch(entries: readonly OutboxEntry[], newId: () => string): PreparedBatch {
  const distinct: PreparedEntry[] = [];
  const byInstruction = new Map<string, number>();
  const byKey = new Map<string, number>();

  const places = entries.map((entry): Place => {
    const { instructionId } = entry;
    const key = JSON.stringify([entry.participantId, entry.idempotencyKey]);
    const requestHash = fingerprint(entry);
    const known = byInstruction.get(instructionId) ?? byKey.get(key);
    if (known !== undefined) {
      const repeats = distinct[known]?.requestHash === requestHash;
      return { instructionId, index: known, repeats, conflicts: !repeats };
    }
    const index = distinct.push({ entry, outboxId: newId(), requestHash }) - 1;
    byInstruction.set(instructionId, index);
    byKey.set(key, index);
    return { instructionId, index, repeats: false, conflicts: false };
  });
  return { distinct, places };
}
