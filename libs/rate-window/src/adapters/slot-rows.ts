// What both databases answer, made into the words of the port.
import { z } from 'zod';
import { isOpenBefore, windowCapacity } from '../open-time.js';
import type {
  AssignOutcome,
  RateConfig,
  ReleaseOutcome,
  Slot,
  SlotAnswer,
  SlotLoad,
  SlotRequest,
  WindowFill,
  WindowPage,
} from '../ports.js';

export const milliseconds = z.coerce.number().transform((ms) => new Date(ms));

const placement = z.object({
  requested_ms: milliseconds,
  scheduled_ms: milliseconds,
  window_ms: milliseconds,
  slot_no: z.coerce.number(),
});

const releaseRow = z.discriminatedUnion('outcome', [
  placement.extend({ outcome: z.enum(['released', 'past']) }),
  z.object({ outcome: z.literal('not_found') }),
]);

const windowRow = z.object({ window_ms: z.coerce.number(), taken: z.coerce.number() });

const loadRow = z.object({
  now_ms: z.coerce.number(),
  current_ms: z.coerce.number(),
  taken: z.coerce.number(),
  furthest_ms: z.coerce.number().nullable(),
});

function toSlot(eventId: string, row: z.infer<typeof placement>): Slot {
  return {
    eventId,
    requestedTime: row.requested_ms,
    scheduledTime: row.scheduled_ms,
    windowStart: row.window_ms,
    slotNo: row.slot_no,
  };
}

export function readSlot(row: unknown, eventId: string): Slot | undefined {
  return row === undefined ? undefined : toSlot(eventId, placement.parse(row));
}

export function readRelease(row: unknown, eventId: string): ReleaseOutcome {
  const parsed = releaseRow.parse(row);
  if (parsed.outcome === 'not_found') return { kind: 'not-found' };
  return { kind: parsed.outcome, slot: toSlot(eventId, parsed) };
}

/** A row of an assignment. A thousand come at a time, so that they are read by hand: a schema takes as long as the database. */
type AnswerRow = Readonly<
  Record<'place' | 'outcome' | 'requested_ms' | 'scheduled_ms' | 'window_ms' | 'slot_no', unknown>
>;

/** Puts the answers into the order of the requests, whatever order they came in. */
export function readAnswers(
  config: RateConfig,
  requests: readonly SlotRequest[],
  rows: readonly unknown[],
): AssignOutcome {
  const answers: SlotAnswer[] = [];
  let windowsSearched = 0;
  for (const row of rows as readonly AnswerRow[]) {
    if (row.outcome === 'config_changed') return { kind: 'config-changed' };
    if (row.outcome === 'searched') windowsSearched = wholeNumber(row.slot_no);
    else {
      const index = wholeNumber(row.place) - 1;
      answers[index] = toAnswer(config, requests[index]?.eventId ?? '', row);
    }
  }
  requests.forEach(({ eventId }, index) => {
    if (answers[index] === undefined) throw new Error(`the assignment gave no answer for event ${eventId}`);
  });
  return { kind: 'answered', answers, windowsSearched };
}

function toAnswer(config: RateConfig, eventId: string, row: AnswerRow): SlotAnswer {
  const at = new Date(wholeNumber(row.scheduled_ms));
  if (row.outcome === 'exhausted') {
    const kind = isOpenBefore(config, at.getTime()) ? 'exhausted' : 'closed';
    return { kind, eventId, horizon: at };
  }
  if (row.outcome !== 'assigned' && row.outcome !== 'existing') {
    throw new Error(`the assignment answered ${String(row.outcome)} for event ${eventId}`);
  }
  const slot = {
    eventId,
    requestedTime: new Date(wholeNumber(row.requested_ms)),
    scheduledTime: at,
    windowStart: new Date(wholeNumber(row.window_ms)),
    slotNo: wholeNumber(row.slot_no),
  };
  return { kind: row.outcome, slot };
}

function wholeNumber(value: unknown): number {
  const number = typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN;
  if (!Number.isSafeInteger(number)) throw new Error(`expected a whole number, found ${String(value)}`);
  return number;
}

export function readWindows(config: RateConfig, rows: readonly unknown[], limit: number): WindowPage {
  const windows = rows.map((row) => {
    const { window_ms, taken } = windowRow.parse(row);
    return toFill(config, window_ms, taken);
  });
  return { windows: windows.slice(0, limit), next: windows[limit]?.windowStart ?? null };
}

export function readLoad(config: RateConfig, row: unknown): SlotLoad {
  const { now_ms, current_ms, taken, furthest_ms } = loadRow.parse(row);
  return {
    now: new Date(now_ms),
    currentWindow: toFill(config, current_ms, taken),
    furthestWindow: furthest_ms === null ? null : new Date(furthest_ms),
  };
}

function toFill(config: RateConfig, windowStart: number, taken: number): WindowFill {
  return {
    windowStart: new Date(windowStart),
    windowEnd: new Date(windowStart + config.windowSizeMs),
    taken,
    capacity: windowCapacity(config, windowStart),
  };
}
