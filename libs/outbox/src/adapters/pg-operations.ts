import type { Pool } from 'pg';
import type {
  Authority,
  DeadLetterFilter,
  DeadLetterState,
  OperationOutcome,
  OutboxOperations,
  Resolution,
} from '../operations.js';
import type { AttemptState, OutboxViews } from '../views.js';
import type { Run } from './statements.js';
import { toDeadLetter } from './view-rows.js';
import type { DeadLetterRow } from './view-rows.js';

const defaultRedriveLimit = 1_000;

const resolutions = {
  executed: 'RESOLVED_EXECUTED',
  notExecuted: 'RESOLVED_NOT_EXECUTED',
  resend: 'RESOLVED_RESEND',
} as const satisfies Record<Resolution['kind'], AttemptState>;

type Action = (typeof resolutions)[Resolution['kind']] | 'REDRIVEN' | 'DISCARDED';

interface Choice {
  readonly state: DeadLetterState;
  readonly limit: number;
  readonly after?: string | undefined;
  readonly instructionIds?: readonly string[] | undefined;
  readonly filter?: DeadLetterFilter | undefined;
}

interface Operation extends Authority {
  readonly action: Action;
  readonly outboxIds: readonly string[];
  readonly reference?: string | undefined;
}

export function operations(
  pool: Pool,
  run: Run,
  { findInstruction }: Pick<OutboxViews, 'findInstruction'>,
): OutboxOperations {
  const choose = ({ state, limit, after, instructionIds, filter = {} }: Choice) =>
    run<DeadLetterRow>(pool, 'list_dead_letters', [
      ...[state, limit, after, instructionIds],
      ...[filter.railTypes, filter.participantId, filter.errorCode, filter.diedAfter, filter.diedBefore],
    ]);

  const operate = async ({ outboxIds, action, actor, reason, reference }: Operation): Promise<string[]> => {
    const values = [outboxIds, action, actor, reason, reference];
    const rows = await run<{ instruction_id: string }>(pool, 'operate_on_dead_letters', values);
    return rows.map((row) => row.instruction_id);
  };

  const operateOnOne = async (
    instructionId: string,
    { state, ...operation }: Omit<Operation, 'outboxIds'> & { readonly state: DeadLetterState },
  ): Promise<OperationOutcome> => {
    const found = await choose({ state, limit: 1, instructionIds: [instructionId] });
    const done = await operate({ ...operation, outboxIds: found.map((row) => row.outbox_id) });
    const instruction = await findInstruction(instructionId);
    if (!instruction) return { kind: 'notFound' };
    return { kind: done.length > 0 ? 'done' : 'refused', instruction };
  };

  return {
    async listDeadLetters({ limit, ...request }) {
      const rows = await choose({ ...request, limit: limit + 1 });
      const page = rows.slice(0, limit);
      return {
        deadLetters: page.map(toDeadLetter),
        next: rows.length > limit ? page.at(-1)?.outbox_id : undefined,
      };
    },
    async redrive({ which, limit = defaultRedriveLimit, dryRun = false, actor, reason }) {
      const rows = await choose({ state: 'FAILED', limit, ...which });
      const outboxIds = rows.map((row) => row.outbox_id);
      const redriven = dryRun
        ? rows.map((row) => row.instruction_id)
        : await operate({ outboxIds, action: 'REDRIVEN', actor, reason });
      const asked = 'instructionIds' in which ? which.instructionIds : [];
      const done = new Set(redriven);
      return { redriven, skipped: asked.filter((instructionId) => !done.has(instructionId)) };
    },
    resolve({ instructionId, resolution, actor, reason }) {
      const action = resolutions[resolution.kind];
      const reference = resolution.kind === 'executed' ? resolution.reference : undefined;
      return operateOnOne(instructionId, { state: 'IN_DOUBT', action, actor, reason, reference });
    },
    discard({ instructionId, actor, reason }) {
      return operateOnOne(instructionId, { state: 'FAILED', action: 'DISCARDED', actor, reason });
    },
  };
}
