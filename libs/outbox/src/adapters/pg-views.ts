import type { Pool } from 'pg';
import type { OutboxViews } from '../views.js';
import { toDepth } from './rows.js';
import type { AttemptRow, DepthRow } from './rows.js';
import type { Run } from './statements.js';
import { toInstruction, toParticipant } from './view-rows.js';
import type { InFlightRow, InstructionRow, ParticipantRow } from './view-rows.js';

/** Counting further would be no news to anybody. */
const countUpTo = { pendingInAll: 100_000, pendingOfParticipant: 1_000 };

export function views(pool: Pool, run: Run): OutboxViews {
  return {
    async findInstruction(instructionId) {
      const [found] = await run<InstructionRow>(pool, 'find_instruction', [instructionId]);
      if (!found) return undefined;
      const attempts = await run<AttemptRow>(pool, 'list_attempts', [found.outbox_id]);
      return toInstruction(found, attempts);
    },
    async findParticipant(participantId) {
      const values = [participantId, countUpTo.pendingOfParticipant];
      const [found] = await run<ParticipantRow>(pool, 'find_participant', values);
      if (!found) return undefined;
      return toParticipant(found, await run<InFlightRow>(pool, 'list_in_flight', [participantId]));
    },
    async depth(railTypes) {
      const limit = countUpTo.pendingInAll;
      const [row] = await run<DepthRow>(pool, 'measure_depth', [[...new Set(railTypes)], limit]);
      if (!row) throw new Error('measure_depth returned no row');
      return toDepth(row, limit);
    },
  };
}
