import { z } from 'zod';
import { mergeRepeats } from '../merge-repeats.js';
import type { AssignOutcome, RateConfig, Slot, SlotAnswer, SlotRequest, SlotStore } from '../ports.js';
import { loadStatement, runStatement } from './pg-queryable.js';
import type { Queryable } from './pg-queryable.js';

const milliseconds = z.coerce.number().transform((ms) => new Date(ms));

const assignedRow = z.union([
  z.object({
    outcome: z.enum(['assigned', 'existing']),
    event_id: z.string(),
    requested_ms: milliseconds,
    scheduled_ms: milliseconds,
    window_ms: milliseconds,
    slot_no: z.number(),
  }),
  z.object({ outcome: z.literal('exhausted'), event_id: z.string(), scheduled_ms: milliseconds }),
  z.object({ outcome: z.literal('config_changed') }),
]);

const slotRow = z
  .object({
    event_id: z.string(),
    requested_time: z.date(),
    scheduled_time: z.date(),
    window_start: z.date(),
    slot_no: z.number(),
  })
  .transform((row): Slot => ({
    eventId: row.event_id,
    requestedTime: row.requested_time,
    scheduledTime: row.scheduled_time,
    windowStart: row.window_start,
    slotNo: row.slot_no,
  }));

/** Slots in PostgreSQL. A pool lets groups of different configs be placed at the same time. */
export function createPgSlotStore(db: Queryable): SlotStore {
  const assignSlots = loadStatement('assign_slots');
  const findSlot = loadStatement('find_slot');

  return {
    async assign(config, requests) {
      if (requests.length === 0) return { kind: 'answered', answers: [] };
      const group = mergeRepeats(requests);
      const rows = await runStatement(db, assignSlots, assignParameters(config, group.distinct));
      return readAnswers(rows, group.distinct, group.restore);
    },

    async find(configName, eventId) {
      const [row] = await runStatement(db, findSlot, [configName, eventId]);
      return row === undefined ? undefined : slotRow.parse(row);
    },
  };
}

function assignParameters(config: RateConfig, requests: readonly SlotRequest[]): unknown[] {
  return [
    config.configName,
    config.version,
    requests.map(({ eventId }) => eventId),
    requests.map(({ requestedTime }) => requestedTime.getTime()),
  ];
}

function readAnswers(
  rows: readonly unknown[],
  distinct: readonly SlotRequest[],
  restore: (answers: readonly SlotAnswer[]) => readonly SlotAnswer[],
): AssignOutcome {
  const answers = new Map<string, SlotAnswer>();
  for (const row of rows) {
    const parsed = assignedRow.parse(row);
    if (parsed.outcome === 'config_changed') return { kind: 'config-changed' };
    answers.set(parsed.event_id, toAnswer(parsed));
  }
  const inOrder = distinct.map(({ eventId }) => {
    const answer = answers.get(eventId);
    if (answer === undefined) throw new Error(`rate_limit_assign gave no answer for event ${eventId}`);
    return answer;
  });
  return { kind: 'answered', answers: restore(inOrder) };
}

function toAnswer(row: Exclude<z.infer<typeof assignedRow>, { outcome: 'config_changed' }>): SlotAnswer {
  if (row.outcome === 'exhausted') {
    return { kind: 'exhausted', eventId: row.event_id, horizon: row.scheduled_ms };
  }
  const slot = {
    eventId: row.event_id,
    requestedTime: row.requested_ms,
    scheduledTime: row.scheduled_ms,
    windowStart: row.window_ms,
    slotNo: row.slot_no,
  };
  return { kind: row.outcome, slot };
}
