import type { RailLedgerLine } from '../rail-simulator/instruction.js';

/**
 * gap: numbers were passed over; backwards: a lower number came after a higher one; repeated: two instructions share
 * a number. `after` is the highest number executed before.
 */
export interface Disorder {
  readonly kind: 'gap' | 'backwards' | 'repeated';
  readonly participantId: string;
  readonly paymentId: string;
  readonly after: number;
  readonly found: number;
}

/**
 * In ledger order the sequence of each participant rises by one. The first number may be any, since a ledger may begin
 * in the middle of a participant's life. A second execution of an instruction is doubled, not out of order.
 */
export function checkOrder(lines: Iterable<RailLedgerLine>): Disorder[] {
  const highest = new Map<string, number>();
  const seen = new Set<string>();
  const found: Disorder[] = [];
  for (const { participantId, paymentId, instructionId, sequence } of lines) {
    if (seen.has(instructionId)) continue;
    seen.add(instructionId);
    const after = highest.get(participantId);
    highest.set(participantId, Math.max(after ?? sequence, sequence));
    if (after === undefined || sequence === after + 1) continue;
    const kind = sequence > after ? 'gap' : sequence < after ? 'backwards' : 'repeated';
    found.push({ kind, participantId, paymentId, after, found: sequence });
  }
  return found;
}
