import type { Slot, SlotAnswer, SlotRequest, SlotStore } from '@sluice/rate-window';
import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import type { AssignSlots, Assignment } from '../assign-slots.js';
import {
  overloaded,
  problems,
  refusalOf,
  refused,
  slotPast,
  translatingErrors,
  unknownConfig,
  unknownSlot,
} from './problems.js';
import { checkedInstant } from './read-instant.js';
import { batchAnswer, batchBody, slotAnswer, slotBody, slotParams, slotQuery } from './schemas.js';

export interface SlotParts {
  readonly assignSlots: AssignSlots;
  readonly slots: Pick<SlotStore, 'find' | 'release'>;
  readonly defaultConfig: string;
}

export function slotRoutes(parts: SlotParts): readonly Route[] {
  return [assignOne(parts), assignBatch(parts), findOne(parts), releaseOne(parts)];
}

const assignProblems = [
  problems.configNotFound,
  problems.storeRefused,
  problems.callerOverloaded,
  problems.overloaded,
  problems.storeUnavailable,
];

function assignOne({ assignSlots, defaultConfig }: SlotParts): Route {
  return route({
    method: 'post',
    path: '/api/v1/slots',
    scope: 'slots:write',
    summary: 'Assign a time slot to an event; the same event gets the same slot again',
    body: slotBody,
    answers: { 200: { description: 'The slot, new or as it was', schema: slotAnswer } },
    problems: [problems.noOpenTime, problems.exhausted, ...assignProblems],
    handle: ({ body: { configName = defaultConfig, ...event }, caller, signal }) =>
      translatingErrors(async () => {
        const wish = { configName, caller: caller.id, requests: [toRequest(event)] };
        const { config, answers } = answered(await assignSlots(wish, signal), configName);
        const [answer] = answers;
        if (answer === undefined) throw new Error(`no answer for event ${event.eventId}`);
        if (!('slot' in answer)) throw refused(answer, config.windowSizeMs);
        return { status: 200, body: slotView(answer.slot) };
      }),
  });
}

function assignBatch({ assignSlots, defaultConfig }: SlotParts): Route {
  return route({
    method: 'post',
    path: '/api/v1/slots/batch',
    scope: 'slots:write',
    summary: 'Assign time slots to up to 1,000 events',
    description: 'Each event has an answer of its own: its slot, or the problem why it got none.',
    body: batchBody,
    answers: { 200: { description: 'Also if no event got a slot', schema: batchAnswer } },
    problems: assignProblems,
    handle: ({ body: { configName = defaultConfig, events }, caller, signal }) =>
      translatingErrors(async () => {
        const wish = { configName, caller: caller.id, requests: events.map(toRequest) };
        const { answers } = answered(await assignSlots(wish, signal), configName);
        return { status: 200, body: { slots: answers.map(answerView) } };
      }),
  });
}

function findOne({ slots, defaultConfig }: SlotParts): Route {
  return route({
    method: 'get',
    path: '/api/v1/slots/:eventId',
    scope: 'slots:read',
    summary: 'The slot of an event under one rate limit',
    params: slotParams,
    query: slotQuery,
    answers: { 200: { description: 'The slot', schema: slotAnswer } },
    problems: [problems.slotNotFound, problems.storeUnavailable],
    handle: ({ params: { eventId }, query: { configName = defaultConfig } }) =>
      translatingErrors(async () => {
        const slot = await slots.find(configName, eventId);
        if (slot === undefined) throw unknownSlot(eventId, configName);
        return { status: 200, body: slotView(slot) };
      }),
  });
}

function releaseOne({ slots, defaultConfig }: SlotParts): Route {
  return route({
    method: 'delete',
    path: '/api/v1/slots/:eventId',
    scope: 'slots:write',
    summary: 'Give a slot back; another event may get it',
    params: slotParams,
    query: slotQuery,
    answers: { 200: { description: 'The slot that the event had', schema: slotAnswer } },
    problems: [problems.slotNotFound, problems.slotPast, problems.storeUnavailable],
    handle: ({ params: { eventId }, query: { configName = defaultConfig }, caller, log }) =>
      translatingErrors(async () => {
        const outcome = await slots.release(configName, eventId);
        if (outcome.kind === 'not-found') throw unknownSlot(eventId, configName);
        if (outcome.kind === 'past') throw slotPast(eventId, outcome.slot.scheduledTime);
        log.info({ configName, eventId, releasedBy: caller.id }, 'a slot was given back');
        return { status: 200, body: slotView(outcome.slot) };
      }),
  });
}

function toRequest({ eventId, requestedTime }: { eventId: string; requestedTime: string }): SlotRequest {
  return { eventId, requestedTime: checkedInstant(requestedTime) };
}

function answered(assignment: Assignment, configName: string): Extract<Assignment, { kind: 'answered' }> {
  if (assignment.kind === 'answered') return assignment;
  throw assignment.kind === 'unknown-config' ? unknownConfig(configName) : overloaded(assignment.kind);
}

function answerView(answer: SlotAnswer): object {
  if ('slot' in answer) return slotView(answer.slot);
  return { eventId: answer.eventId, problem: refusalOf(answer) };
}

function slotView({ eventId, scheduledTime, requestedTime }: Slot): object {
  return {
    eventId,
    scheduledTime: scheduledTime.toISOString(),
    delayMs: scheduledTime.getTime() - requestedTime.getTime(),
  };
}
