import type { Clock } from '@sluice/service-kit';
import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import type { DeliveryStore } from '../api-ports.js';
import type { ReplayDeliveries } from '../replay-deliveries.js';
import { actorOf } from './actor.js';
import { deliveriesAnswer, deliveryAnswer, replayAnswer } from './answers.js';
import { writeCursor } from './cursor.js';
import { presentDelivery } from './present.js';
import { problem, problems } from './problems.js';
import { deliveryParams, deliveryQuery, replayOneBody, replaySpanBody } from './requests.js';

export interface DeliveryParts {
  readonly deliveries: Pick<DeliveryStore, 'list'>;
  readonly replay: ReplayDeliveries;
  readonly clock: Clock;
}

export function deliveryRoutes(parts: DeliveryParts): Route[] {
  return [listDeliveries(parts), replaySpan(parts.replay), replayOne(parts.replay)];
}

const SPAN_MS = 7 * 86_400_000;

function listDeliveries({ deliveries, clock }: DeliveryParts): Route {
  return route({
    method: 'get',
    path: '/deliveries',
    scope: 'subscriptions:read',
    summary: 'Deliveries, newest first',
    query: deliveryQuery,
    answers: { 200: { description: 'One page', schema: deliveriesAnswer } },
    async handle({ query: { cursor, limit, ...filter }, caller }) {
      const createdFrom = filter.createdFrom ?? new Date(clock.now().getTime() - SPAN_MS);
      const { tenantId } = actorOf(caller);
      const page = await deliveries.list(tenantId, { ...filter, createdFrom }, { after: cursor, limit });
      const nextCursor = page.next === undefined ? null : writeCursor(page.next);
      return { status: 200, body: { deliveries: page.deliveries.map(presentDelivery), nextCursor } };
    },
  });
}

function replayOne(replay: ReplayDeliveries): Route {
  return route({
    method: 'post',
    path: '/deliveries/:id/replay',
    scope: 'subscriptions:write',
    summary: 'Deliver once more what is delivered, failed or cancelled',
    description:
      'It keeps its `webhook-id`, so that the receiver can tell a repetition, and is marked by the header `webhook-replay`.',
    params: deliveryParams,
    body: replayOneBody,
    answers: { 202: { description: 'On its way again', schema: deliveryAnswer } },
    problems: [problems.deliveryNotFound, problems.deliveryNotFinished, problems.subscriptionEnded],
    async handle({ params: { id }, body, caller, log }) {
      const actor = actorOf(caller);
      const replayed = await replay.one(actor, id, body.reason ?? null);
      if (replayed.kind === 'not-found') {
        throw problem(problems.deliveryNotFound, 'No such delivery', {
          detail: `There is no delivery ${id}.`,
        });
      }
      if (replayed.kind !== 'replayed') {
        const { status: deliveryStatus } = replayed.delivery;
        const known =
          replayed.kind === 'not-finished' ? problems.deliveryNotFinished : problems.subscriptionEnded;
        throw problem(known, 'The delivery cannot be replayed', { extensions: { deliveryStatus } });
      }
      log.warn({ deliveryId: id, by: actor.by }, 'a delivery is replayed');
      return { status: 202, body: presentDelivery(replayed.delivery) };
    },
  });
}

function replaySpan(replay: ReplayDeliveries): Route {
  return route({
    method: 'post',
    path: '/deliveries/replay',
    scope: 'subscriptions:write',
    summary: 'Deliver once more what failed in a span of time',
    description:
      'Without `"dryRun": false` it only shows which. What was delivered is left alone; each replay is in the audit trail.',
    body: replaySpanBody,
    answers: { 200: { description: 'What was done, or would be', schema: replayAnswer } },
    async handle({ body: { limit, dryRun, reason, ...span }, caller, log }) {
      const actor = actorOf(caller);
      const done = await replay.span(actor, { span, limit, dryRun, reason: reason ?? null });
      if (!dryRun) log.warn({ by: actor.by, replayed: done.replayed }, 'deliveries are replayed');
      return { status: 200, body: { dryRun, ...done } };
    },
  });
}
