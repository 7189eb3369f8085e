import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import type { ChangeSubscription } from '../change-subscription.js';
import type { ReadHealth } from '../read-health.js';
import type { RotateSecret } from '../rotate-secret.js';
import type { SendTestEvent } from '../send-test-event.js';
import { actorOf } from './actor.js';
import { healthAnswer, rotatedAnswer, subscriptionAnswer, testAnswer } from './answers.js';
import { presentHealth, presentSecrets, presentSubscription } from './present.js';
import { changedOrProblem, problems, refused, subscriptionNotFound, wrongStatus } from './problems.js';
import { pauseBody, rotateBody, subscriptionParams } from './requests.js';

export interface OperationParts {
  readonly change: ChangeSubscription;
  readonly rotateSecret: RotateSecret;
  readonly sendTestEvent: SendTestEvent;
  readonly readHealth: ReadHealth;
}

/** What a customer does with a subscription that is there. */
export function operationRoutes(parts: OperationParts): Route[] {
  return [
    pause(parts.change),
    resume(parts.change),
    rotate(parts.rotateSecret),
    test(parts.sendTestEvent),
    health(parts.readHealth),
  ];
}

function pause(change: ChangeSubscription): Route {
  return route({
    method: 'post',
    path: '/subscriptions/:id/pause',
    scope: 'subscriptions:write',
    summary: 'Hold back everything for a subscription; it waits until the subscription is resumed',
    params: subscriptionParams,
    body: pauseBody,
    answers: { 200: { description: 'Paused, now or before', schema: subscriptionAnswer } },
    problems: [problems.subscriptionNotFound, problems.subscriptionStatus],
    async handle({ params: { id }, body, caller }) {
      const changed = await change.pause(actorOf(caller), id, body.reason);
      return { status: 200, body: presentSubscription(changedOrProblem(id, changed)) };
    },
  });
}

function resume(change: ChangeSubscription): Route {
  return route({
    method: 'post',
    path: '/subscriptions/:id/resume',
    scope: 'subscriptions:write',
    summary: 'Let a subscription go on that was paused, or disabled',
    description: 'What was cancelled while it was disabled stays so; it can be replayed.',
    params: subscriptionParams,
    answers: { 200: { description: 'Active, now or before', schema: subscriptionAnswer } },
    problems: [problems.subscriptionNotFound],
    async handle({ params: { id }, caller }) {
      const changed = await change.resume(actorOf(caller), id);
      return { status: 200, body: presentSubscription(changedOrProblem(id, changed)) };
    },
  });
}

function rotate(rotateSecret: RotateSecret): Route {
  return route({
    method: 'post',
    path: '/subscriptions/:id/rotate-secret',
    scope: 'subscriptions:write',
    summary: 'Give a subscription a new secret',
    description:
      'For the time of the overlap every webhook is signed with both. The answer shows the new secret, and no other ever will. A rotation during an overlap ends the older secret at once.',
    params: subscriptionParams,
    body: rotateBody,
    answers: { 200: { description: 'The new secret', schema: rotatedAnswer } },
    problems: [problems.subscriptionNotFound, problems.secretRefused],
    async handle({ params: { id }, body, caller }) {
      const rotated = await rotateSecret(actorOf(caller), { id, ...body });
      if (rotated.kind === 'not-found') throw subscriptionNotFound(id);
      if (rotated.kind === 'refused') throw refused(rotated);
      return { status: 200, body: { secret: rotated.secret, secrets: presentSecrets(rotated.versions) } };
    },
  });
}

function test(sendTestEvent: SendTestEvent): Route {
  return route({
    method: 'post',
    path: '/subscriptions/:id/test',
    scope: 'subscriptions:write',
    summary: 'Send an event of the type webhook.test to one subscription, once',
    description: 'What came of it is at `GET /events/{eventId}/attempts`.',
    params: subscriptionParams,
    answers: { 202: { description: 'On its way', schema: testAnswer } },
    problems: [problems.subscriptionNotFound, problems.subscriptionStatus],
    async handle({ params: { id }, caller }) {
      const sent = await sendTestEvent(actorOf(caller), id);
      if (sent.kind === 'not-found') throw subscriptionNotFound(id);
      if (sent.kind === 'wrong-status') throw wrongStatus(sent.subscription);
      const { eventId, deliveryId } = sent;
      return { status: 202, body: { eventId, deliveryId }, headers: { location: `/events/${eventId}` } };
    },
  });
}

function health(readHealth: ReadHealth): Route {
  return route({
    method: 'get',
    path: '/subscriptions/:id/health',
    scope: 'subscriptions:read',
    summary: 'How a subscription has been doing for the last day',
    description: 'Figures follow within two seconds; attempts of a killed instance may be missing.',
    params: subscriptionParams,
    answers: { 200: { description: 'Sums that are kept as outcomes come in', schema: healthAnswer } },
    problems: [problems.subscriptionNotFound],
    async handle({ params: { id }, caller }) {
      const report = await readHealth(actorOf(caller).tenantId, id);
      if (report === undefined) throw subscriptionNotFound(id);
      return { status: 200, body: presentHealth(report) };
    },
  });
}
