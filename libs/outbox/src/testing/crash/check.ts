import type { OutboxViews } from '../../views.js';
import { rebuildState } from '../../rebuild-state.js';
import type { Ledger } from './ledger.js';

/** Each once, each participant in its sequence, no gap. */
export function expectInOrderAndOnce(ledger: Ledger, expected: ReadonlyMap<string, number>): void {
  const byParticipant = Map.groupBy(ledger.executions, (one) => one.participantId);
  const numbers = Object.fromEntries(
    [...byParticipant].map(([participant, executions]) => [
      participant,
      executions.map((one) => one.sequenceId),
    ]),
  );
  const wanted = Object.fromEntries(
    [...expected].map(([participant, count]) => [
      participant,
      Array.from({ length: count }, (_, n) => n + 1),
    ]),
  );
  expect(numbers).toEqual(wanted);
}

/** What the archive says is what is. */
export async function expectAuditToTell(
  outbox: OutboxViews,
  instructionIds: readonly string[],
): Promise<void> {
  for (const instructionId of instructionIds) {
    const found = await outbox.findInstruction(instructionId);
    expect({ instructionId, state: found?.state }).toEqual({
      instructionId,
      state: rebuildState(found?.attempts ?? []),
    });
    expect(found?.state).toBe('DISPATCHED');
  }
}
