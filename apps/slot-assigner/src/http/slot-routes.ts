import type { Slot, SlotAnswer, SlotStore } from '@sluice/rate-window';
import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import type { AssignSlots, Assignment } from '../assign-slots.js';
import {
  EXHAUSTED_CODE,
  exhausted,
  exhaustedDetail,
  overloaded,
  translatingErrors,
  unknownConfig,
  unknownSlot,
} from './problems.js';
import { batchBody, slotBody, slotParams, slotQuery } from './schemas.js';

interface Options {
  readonly assignSlots: AssignSlots;
  readonly slots: Pick<SlotStore, 'find'>;
}

export function createSlotRoutes({ assignSlots, slots }: Options): Route[] {
  const assignOne = route({
    method: 'post',
    path: '/api/v1/slots',
    scope: 'slots:write',
    summary: 'Assign a time slot to an event; the same event gets the same slot again',
    body: slotBody,
    handle: ({ body: { configName, ...request }, signal }) =>
      translatingErrors(async () => {
        const { config, answers } = answered(await assignSlots(configName, [request], signal), configName);
        const [answer] = answers;
        if (answer === undefined) throw new Error(`no answer for event ${request.eventId}`);
        if (answer.kind === 'exhausted') throw exhausted({ ...answer, windowSizeMs: config.windowSizeMs });
        return { status: 200, body: slotView(answer.slot) };
      }),
  });

  const assignBatch = route({
    method: 'post',
    path: '/api/v1/slots/batch',
    scope: 'slots:write',
    summary:
      'Assign time slots to up to 1,000 events; each event has an answer of its own, in the order sent',
    body: batchBody,
    handle: ({ body: { configName, events }, signal }) =>
      translatingErrors(async () => {
        const { answers } = answered(await assignSlots(configName, events, signal), configName);
        return { status: 200, body: { slots: answers.map(answerView) } };
      }),
  });

  const findOne = route({
    method: 'get',
    path: '/api/v1/slots/:eventId',
    scope: 'slots:read',
    summary: 'The slot of an event under one rate limit',
    params: slotParams,
    query: slotQuery,
    handle: ({ params: { eventId }, query: { configName } }) =>
      translatingErrors(async () => {
        const slot = await slots.find(configName, eventId);
        if (slot === undefined) throw unknownSlot(eventId, configName);
        return { status: 200, body: slotView(slot) };
      }),
  });

  return [assignOne, assignBatch, findOne];
}

function answered(assignment: Assignment, configName: string): Extract<Assignment, { kind: 'answered' }> {
  if (assignment.kind === 'unknown-config') throw unknownConfig(configName);
  if (assignment.kind === 'overloaded') throw overloaded();
  return assignment;
}

function answerView(answer: SlotAnswer): object {
  if (answer.kind !== 'exhausted') return slotView(answer.slot);
  const { eventId, horizon } = answer;
  return { eventId, problem: { code: EXHAUSTED_CODE, detail: exhaustedDetail(eventId, horizon) } };
}

function slotView({ eventId, scheduledTime, requestedTime }: Slot): object {
  return {
    eventId,
    scheduledTime: scheduledTime.toISOString(),
    delayMs: scheduledTime.getTime() - requestedTime.getTime(),
  };
}
