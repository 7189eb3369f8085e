import { z } from 'zod';
import type { DispatchQueue } from '@sluice/queue-core';
import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { problems, reached } from './problems.js';
import { count, depthAnswer, instant, minutesAnswer, typeParams } from './schemas.js';

/** How much waits. No count goes beyond its cap, so that the answer costs the same at a million rows. */
export function depthRoutes(
  queue: Pick<DispatchQueue, 'measureDepth' | 'measureMinutes' | 'countFinished'>,
): readonly Route[] {
  return [showDepth(queue), showMinutes(queue)];
}

function showDepth(queue: Pick<DispatchQueue, 'measureDepth' | 'countFinished'>): Route {
  return route({
    method: 'get',
    path: '/api/v1/dispatch/depth/:itemType',
    scope: 'dispatch:read',
    summary: 'Count the items of a type by status',
    description: 'Each count is exact below the cap and stops there.',
    params: typeParams,
    query: z.strictObject({ cap: count(100_000, 10_000).describe('Where each count stops') }),
    answers: { 200: { description: 'One count a status', schema: depthAnswer } },
    problems: [problems.queueUnavailable],
    async handle({ params, query: { cap } }) {
      const { itemType } = params;
      const waiting = await reached(queue.measureDepth(itemType, cap));
      const finished = await reached(queue.countFinished(itemType, cap));
      const statuses = Object.entries({
        READY: waiting.ready,
        CLAIMED: waiting.claimed,
        EXHAUSTED: waiting.exhausted,
        DISPATCHED: finished.dispatched,
        CANCELLED: finished.cancelled,
      }).map(([status, found]) => ({ status, count: found, exact: found < cap }));
      return { status: 200, body: { itemType, cap, statuses, oldestDueSeconds: waiting.oldestDueSeconds } };
    },
  });
}

function showMinutes(queue: Pick<DispatchQueue, 'measureMinutes'>): Route {
  return route({
    method: 'get',
    path: '/api/v1/dispatch/depth/:itemType/minutes',
    scope: 'dispatch:read',
    summary: 'Count READY items by the minute they are due in',
    description: 'Each minute is exact up to the cap. Minutes without items are left out.',
    params: typeParams,
    query: z.strictObject({
      from: instant().optional().describe('First minute; without it that of the oldest READY item'),
      minutes: count(240, 60).describe('Most minutes of the answer'),
      cap: count(10_000, 1_000).describe('Where the count of each minute stops'),
    }),
    answers: { 200: { description: 'One count a minute', schema: minutesAnswer } },
    problems: [problems.queueUnavailable],
    async handle({ params, query: { from, minutes, cap } }) {
      const { itemType } = params;
      const request = { itemType, from, minutes, capPerMinute: cap };
      return {
        status: 200,
        body: { itemType, cap, minutes: await reached(queue.measureMinutes(request)) },
      };
    },
  });
}
