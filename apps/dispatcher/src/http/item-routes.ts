import type { DispatchQueue, OrderOutcome } from '@sluice/queue-core';
import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { problems, reached, unknownItem, wrongItemStatus } from './problems.js';
import { itemAnswer, itemParams, itemStatusAnswer, reasonBody } from './schemas.js';

/** One item: what happened to it, and what a person may do to it. */
export function itemRoutes(queue: Pick<DispatchQueue, 'findItem' | 'requeue' | 'cancel'>): readonly Route[] {
  return [showItem(queue), requeueItem(queue), cancelItem(queue)];
}

function showItem(queue: Pick<DispatchQueue, 'findItem'>): Route {
  return route({
    method: 'get',
    path: '/api/v1/dispatch/items/:itemType/:itemId',
    scope: 'dispatch:read',
    summary: 'Show an item of the queue and its audit trail',
    description: 'Never its context, which belongs to the exec workflow alone.',
    params: itemParams,
    answers: { 200: { description: 'As it stands', schema: itemAnswer } },
    problems: [problems.itemNotFound, problems.queueUnavailable],
    async handle({ params }) {
      const found = await reached(queue.findItem(params.itemType, params.itemId));
      if (!found) throw unknownItem(params.itemType, params.itemId);
      return { status: 200, body: { ...found.row, auditTrail: found.trail } };
    },
  });
}

function requeueItem(queue: Pick<DispatchQueue, 'requeue'>): Route {
  return route({
    method: 'post',
    path: '/api/v1/dispatch/items/:itemType/:itemId/requeue',
    scope: 'dispatch:admin',
    summary: 'Let an EXHAUSTED item wait again, with all its retries',
    params: itemParams,
    body: reasonBody,
    answers: { 200: { description: 'It is READY', schema: itemStatusAnswer } },
    problems: [problems.itemNotFound, problems.itemNotExhausted, problems.queueUnavailable],
    async handle({ params: { itemType, itemId }, body, caller, log }) {
      const order = { itemType, itemIds: [itemId], reason: body.reason, by: caller.id };
      const [outcome] = await reached(queue.requeue(order));
      expectChange(outcome, { itemType, itemId, problem: problems.itemNotExhausted });
      log.info({ itemType, itemId, by: caller.id, reason: body.reason }, 'item requeued');
      return { status: 200, body: { itemType, itemId, status: 'READY' } };
    },
  });
}

function cancelItem(queue: Pick<DispatchQueue, 'cancel'>): Route {
  return route({
    method: 'post',
    path: '/api/v1/dispatch/items/:itemType/:itemId/cancel',
    scope: 'dispatch:admin',
    summary: 'Take a READY item out for good',
    params: itemParams,
    body: reasonBody,
    answers: { 200: { description: 'It is CANCELLED', schema: itemStatusAnswer } },
    problems: [problems.itemNotFound, problems.itemNotReady, problems.queueUnavailable],
    async handle({ params: { itemType, itemId }, body, caller, log }) {
      const order = { itemType, itemIds: [itemId], reason: body.reason, by: caller.id };
      const [outcome] = await reached(queue.cancel(order));
      expectChange(outcome, { itemType, itemId, problem: problems.itemNotReady });
      log.info({ itemType, itemId, by: caller.id, reason: body.reason }, 'item cancelled');
      return { status: 200, body: { itemType, itemId, status: 'CANCELLED' } };
    },
  });
}

function expectChange(
  outcome: OrderOutcome | undefined,
  item: {
    itemType: string;
    itemId: string;
    problem: typeof problems.itemNotExhausted | typeof problems.itemNotReady;
  },
): void {
  if (outcome?.kind === 'changed') return;
  if (outcome?.kind === 'refused') throw wrongItemStatus(item.problem, item.itemId, outcome.status);
  throw unknownItem(item.itemType, item.itemId);
}
