import { z } from 'zod';
import { rails } from '@sluice/payments';
import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import type { RailView } from '../rails/rail-board.js';
import { recordNotice } from '../record-notice.js';
import type { ApiParts } from './api-parts.js';
import { problems, reached, refusal, unknownInstruction } from './problems.js';
import {
  circuitBody,
  circuitChangesAnswer,
  count,
  noticeAnswer,
  noticeBody,
  railAnswer,
  railParams,
  railsAnswer,
} from './schemas.js';

/** The rails: how they are doing, what an operator says about them, and what they report later. */
export function railRoutes(parts: ApiParts): readonly Route[] {
  return [listRails(parts), showRail(parts), setCircuit(parts), listCircuitChanges(parts), takeNotice(parts)];
}

function listRails({ board }: ApiParts): Route {
  return route({
    method: 'get',
    path: '/api/v1/rails',
    scope: 'outbox:read',
    summary: 'List all rails with their circuits',
    answers: { 200: { description: 'All of them', schema: railsAnswer } },
    handle: async () => ({ status: 200, body: { rails: rails.map((rail) => toBody(board.view(rail))) } }),
  });
}

function showRail({ board }: ApiParts): Route {
  return route({
    method: 'get',
    path: '/api/v1/rails/:rail',
    scope: 'outbox:read',
    summary: 'Show a rail: what it can do, and its circuit',
    params: railParams,
    answers: { 200: { description: 'As it stands', schema: railAnswer } },
    handle: async ({ params: { rail } }) => ({ status: 200, body: toBody(board.view(rail)) }),
  });
}

function setCircuit({ board }: ApiParts): Route {
  return route({
    method: 'put',
    path: '/api/v1/rails/:rail/circuit',
    scope: 'outbox:admin',
    summary: 'Open or close the circuit of a rail by hand, or leave it to itself again',
    description: 'Holds for all instances within about two seconds, and until it is changed.',
    params: railParams,
    body: circuitBody,
    answers: { 200: { description: 'As it stands now', schema: railAnswer } },
    problems: [problems.outboxUnavailable],
    async handle({ params: { rail }, body: { mode, reason }, caller, log }) {
      const view = await reached(board.setMode({ rail, mode, reason, by: caller.id }));
      log.warn({ rail, mode, reason, by: caller.id }, 'circuit set by an operator');
      return { status: 200, body: toBody(view) };
    },
  });
}

function listCircuitChanges({ modes }: ApiParts): Route {
  return route({
    method: 'get',
    path: '/api/v1/rails/:rail/circuit/changes',
    scope: 'outbox:read',
    summary: 'List what operators said about the circuit of a rail, newest first',
    params: railParams,
    query: z.strictObject({ limit: count(500, 100) }),
    answers: { 200: { description: 'Who, when, what and why', schema: circuitChangesAnswer } },
    problems: [problems.outboxUnavailable],
    async handle({ params: { rail }, query: { limit } }) {
      return { status: 200, body: { changes: await reached(modes.changes(rail, limit)) } };
    },
  });
}

function takeNotice({ executions, outbox, clock }: ApiParts): Route {
  return route({
    method: 'post',
    path: '/api/v1/rails/:rail/notices',
    scope: 'rails:notify',
    summary: 'Take a report of the rail: the money of an executed instruction has arrived, or came back',
    description: 'The same report again is answered as the first time and changes nothing.',
    params: railParams,
    body: noticeBody,
    answers: { 200: { description: 'The payment stands where the report says', schema: noticeAnswer } },
    problems: [
      problems.instructionNotFound,
      problems.notExecuted,
      problems.noticeRefused,
      problems.outboxUnavailable,
    ],
    async handle({ params: { rail }, body, caller, log }) {
      const { instructionId } = body;
      const notice = { ...body, rail, by: caller.id };
      const outcome = await reached(recordNotice({ executions, views: outbox, clock }, notice));
      switch (outcome.kind) {
        case 'unknown':
          throw unknownInstruction(instructionId);
        case 'notExecuted':
          throw refusal(problems.notExecuted, `${instructionId} is ${outcome.state}.`, {
            state: outcome.state,
          });
        case 'refused':
          throw refusal(problems.noticeRefused, `The payment is ${outcome.status}.`, {
            paymentStatus: outcome.status,
          });
        case 'recorded':
          log.info(
            { rail, instructionId, status: body.status, code: body.code },
            'notice of the rail recorded',
          );
          return { status: 200, body: { instructionId, paymentStatus: outcome.status } };
      }
    },
  });
}

function toBody({ setting, ...view }: RailView) {
  if (!setting) return { ...view, setting: null };
  const { mode, reason, by, at } = setting;
  return { ...view, setting: { mode, reason, by, at } };
}
