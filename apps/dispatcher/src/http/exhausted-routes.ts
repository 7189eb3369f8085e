import { z } from 'zod';
import type { DispatchQueue } from '@sluice/queue-core';
import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { requeueExhausted } from '../requeue-exhausted.js';
import { exhaustedCursor, writeCursor } from './cursor.js';
import { problems, reached } from './problems.js';
import {
  bulkRequeueAnswer,
  bulkRequeueBody,
  count,
  exhaustedAnswer,
  exhaustedFilter,
  typeParams,
} from './schemas.js';

/** Items that no retry could help: find them, and after the cause is mended let them wait again. */
export function exhaustedRoutes(queue: Pick<DispatchQueue, 'listExhausted' | 'requeue'>): readonly Route[] {
  return [listExhausted(queue), requeueMany(queue)];
}

function listExhausted(queue: Pick<DispatchQueue, 'listExhausted'>): Route {
  return route({
    method: 'get',
    path: '/api/v1/dispatch/exhausted/:itemType',
    scope: 'dispatch:read',
    summary: 'List EXHAUSTED items, those set aside first',
    params: typeParams,
    query: z.strictObject({
      limit: count(500, 100),
      cursor: exhaustedCursor.optional().describe('The nextCursor of the page before'),
      ...exhaustedFilter,
    }),
    answers: { 200: { description: 'One page', schema: exhaustedAnswer } },
    problems: [problems.queueUnavailable],
    async handle({ params: { itemType }, query: { limit, cursor, ...filter } }) {
      const page = await reached(queue.listExhausted({ itemType, filter, after: cursor, limit }));
      return {
        status: 200,
        body: { items: page.items, nextCursor: page.next ? writeCursor(page.next) : null },
      };
    },
  });
}

function requeueMany(queue: Pick<DispatchQueue, 'listExhausted' | 'requeue'>): Route {
  return route({
    method: 'post',
    path: '/api/v1/dispatch/exhausted/:itemType/requeue',
    scope: 'dispatch:admin',
    summary: 'Let many EXHAUSTED items wait again',
    description: 'Without `"dryRun": false` it only shows which. Each item gets an audit row of its own.',
    params: typeParams,
    body: bulkRequeueBody,
    answers: { 200: { description: 'What was done, or would be', schema: bulkRequeueAnswer } },
    problems: [problems.queueUnavailable],
    async handle({ params: { itemType }, body, caller, log }) {
      const { reason, dryRun, limit, ...filter } = body;
      const by = caller.id;
      const done = await reached(requeueExhausted(queue, { itemType, filter, limit, dryRun, reason, by }));
      if (!dryRun) log.warn({ itemType, by, reason, requeued: done.requeued }, 'items requeued');
      return { status: 200, body: { dryRun, ...done } };
    },
  });
}
