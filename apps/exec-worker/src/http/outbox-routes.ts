import type { OutboxViews } from '@sluice/outbox';
import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { problems, reached, refusal, unknownInstruction } from './problems.js';
import { instructionAnswer, instructionParams, participantAnswer, participantParams } from './schemas.js';

type Views = Pick<OutboxViews, 'findInstruction' | 'findParticipant'>;

/** Where an instruction or a participant stands. Payloads, which hold account numbers, are never shown. */
export function outboxRoutes(views: Views): readonly Route[] {
  return [showInstruction(views), showParticipant(views)];
}

function showInstruction(views: Views): Route {
  return route({
    method: 'get',
    path: '/api/v1/instructions/:instructionId',
    scope: 'outbox:read',
    summary: 'One instruction: where it is, and everything that was tried. The payload is not shown.',
    params: instructionParams,
    answers: { 200: { description: 'As it stands', schema: instructionAnswer } },
    problems: [problems.instructionNotFound, problems.outboxUnavailable],
    async handle({ params: { instructionId } }) {
      const found = await reached(views.findInstruction(instructionId));
      if (!found) throw unknownInstruction(instructionId);
      return { status: 200, body: found };
    },
  });
}

function showParticipant(views: Views): Route {
  return route({
    method: 'get',
    path: '/api/v1/participants/:participantId',
    scope: 'outbox:read',
    summary: 'One participant: its next number, what waits, and what holds it',
    params: participantParams,
    answers: { 200: { description: 'As it stands', schema: participantAnswer } },
    problems: [problems.participantNotFound, problems.outboxUnavailable],
    async handle({ params: { participantId } }) {
      const found = await reached(views.findParticipant(participantId));
      if (!found) throw refusal(problems.participantNotFound, `${participantId} is not known.`);
      return { status: 200, body: found };
    },
  });
}
