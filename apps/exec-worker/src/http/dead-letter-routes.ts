import type { DeadLetter, DeadLetterFilter, DeadLetterState } from '@sluice/outbox';
import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { discardDeadLetter, resolveDoubt } from '../operate.js';
import { redriveDeadLetters } from '../redrive.js';
import type { ApiParts } from './api-parts.js';
import { problems, reached, refusal, unknownInstruction, wrongState } from './problems.js';
import {
  deadLetterQuery,
  deadLettersAnswer,
  instructionAnswer,
  instructionParams,
  reasonBody,
  redriveAnswer,
  redriveBody,
  resolveBody,
} from './schemas.js';

/** What waits for an operator: instructions that failed, and those of which nobody knows. */
export function deadLetterRoutes(parts: ApiParts): readonly Route[] {
  return [
    listRoute(parts, { state: 'FAILED', path: '/api/v1/dead-letters', summary: 'List dead letters' }),
    redriveOne(parts),
    redriveMany(parts),
    discardOne(parts),
    listRoute(parts, {
      state: 'IN_DOUBT',
      path: '/api/v1/in-doubt',
      summary: 'List instructions of which nobody knows whether they were executed',
    }),
    resolveOne(parts),
  ];
}

function listRoute(
  { outbox }: ApiParts,
  { state, path, summary }: { state: DeadLetterState; path: string; summary: string },
): Route {
  return route({
    method: 'get',
    path,
    scope: 'outbox:read',
    summary,
    query: deadLetterQuery,
    answers: { 200: { description: 'One page', schema: deadLettersAnswer } },
    problems: [problems.outboxUnavailable],
    async handle({ query: { limit, cursor, ...filter } }) {
      const request = { state, filter: filterOf(filter), limit, after: cursor };
      const page = await reached(outbox.listDeadLetters(request));
      return {
        status: 200,
        body: { deadLetters: page.deadLetters.map(toBody), nextCursor: page.next ?? null },
      };
    },
  });
}

function redriveOne(parts: ApiParts): Route {
  return route({
    method: 'post',
    path: '/api/v1/dead-letters/:instructionId/redrive',
    scope: 'outbox:admin',
    summary: 'Send a dead letter on its way again, with its old number and key',
    description: 'The rail is asked first whether it has executed it after all.',
    params: instructionParams,
    body: reasonBody,
    answers: { 200: { description: 'It is PENDING', schema: instructionAnswer } },
    problems: [
      problems.instructionNotFound,
      problems.notADeadLetter,
      problems.paymentEnded,
      problems.outboxUnavailable,
    ],
    async handle({ params: { instructionId }, body: { reason }, caller, log }) {
      const order = { actor: caller.id, reason, dryRun: false, limit: 1 };
      const which = { instructionIds: [instructionId] };
      const { redriven } = await reached(redriveDeadLetters(redriveParts(parts), { which, ...order }));
      const instruction = await reached(parts.outbox.findInstruction(instructionId));
      if (!instruction) throw unknownInstruction(instructionId);
      if (redriven.length === 0) {
        if (instruction.state !== 'FAILED') throw wrongState(problems.notADeadLetter, instruction);
        throw refusal(problems.paymentEnded, `${instructionId} stays a dead letter.`);
      }
      log.warn({ instructionId, by: caller.id, reason }, 'dead letter redriven');
      return { status: 200, body: instruction };
    },
  });
}

function redriveMany(parts: ApiParts): Route {
  return route({
    method: 'post',
    path: '/api/v1/dead-letters/redrive',
    scope: 'outbox:admin',
    summary: 'Send many dead letters on their way again',
    description:
      'Without `"dryRun": false` it only shows which. Each gets an audit row of its own. Those whose payment has ended are refused.',
    body: redriveBody,
    answers: { 200: { description: 'What was done, or would be', schema: redriveAnswer } },
    problems: [problems.outboxUnavailable],
    async handle({ body: { reason, dryRun, limit, ...filter }, caller, log }) {
      const order = { which: { filter: filterOf(filter) }, limit, dryRun, actor: caller.id, reason };
      const done = await reached(redriveDeadLetters(redriveParts(parts), order));
      if (!dryRun)
        log.warn({ by: caller.id, reason, redriven: done.redriven.length }, 'dead letters redriven');
      return { status: 200, body: { dryRun, ...done } };
    },
  });
}

function discardOne(parts: ApiParts): Route {
  return route({
    method: 'post',
    path: '/api/v1/dead-letters/:instructionId/discard',
    scope: 'outbox:admin',
    summary: 'Give a dead letter up for good: its payment ends FAILED, its participant goes on',
    params: instructionParams,
    body: reasonBody,
    answers: { 200: { description: 'It is DISCARDED', schema: instructionAnswer } },
    problems: [problems.instructionNotFound, problems.notADeadLetter, problems.outboxUnavailable],
    async handle({ params: { instructionId }, body: { reason }, caller, log }) {
      const outcome = await reached(discardDeadLetter(parts, { instructionId, actor: caller.id, reason }));
      if (outcome.kind === 'notFound') throw unknownInstruction(instructionId);
      if (outcome.kind === 'refused') throw wrongState(problems.notADeadLetter, outcome.instruction);
      log.warn({ instructionId, by: caller.id, reason }, 'dead letter discarded');
      return { status: 200, body: outcome.instruction };
    },
  });
}

const resolutionKinds = { EXECUTED: 'executed', NOT_EXECUTED: 'notExecuted', RESEND: 'resend' } as const;

function resolveOne(parts: ApiParts): Route {
  return route({
    method: 'post',
    path: '/api/v1/in-doubt/:instructionId/resolve',
    scope: 'outbox:admin',
    summary: 'Say what became of an instruction in doubt; its participant goes on',
    params: instructionParams,
    body: resolveBody,
    answers: { 200: { description: 'As it stands now', schema: instructionAnswer } },
    problems: [problems.instructionNotFound, problems.notInDoubt, problems.outboxUnavailable],
    async handle({ params: { instructionId }, body, caller, log }) {
      const { reason } = body;
      const resolution =
        body.outcome === 'EXECUTED'
          ? ({ kind: 'executed', reference: body.reference } as const)
          : { kind: resolutionKinds[body.outcome] };
      const order = { instructionId, resolution, actor: caller.id, reason };
      const outcome = await reached(resolveDoubt(parts, order));
      if (outcome.kind === 'notFound') throw unknownInstruction(instructionId);
      if (outcome.kind === 'refused') throw wrongState(problems.notInDoubt, outcome.instruction);
      log.warn({ instructionId, by: caller.id, reason, resolution: resolution.kind }, 'doubt resolved');
      return { status: 200, body: outcome.instruction };
    },
  });
}

const redriveParts = ({ outbox, statusesOf }: ApiParts) => ({ operations: outbox, statusesOf });

function filterOf({ rail, ...filter }: Omit<DeadLetterFilter, 'railTypes'> & { rail?: string | undefined }) {
  return { ...filter, railTypes: rail === undefined ? undefined : [rail] };
}

/** The row's own number is of no use outside. */
function toBody({ outboxId: _row, ...deadLetter }: DeadLetter) {
  return deadLetter;
}
