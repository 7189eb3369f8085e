import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import type { SubscriptionStore } from '../api-ports.js';
import type { ChangeSubscription } from '../change-subscription.js';
import type { Subscribe } from '../subscribe.js';
import { actorOf } from './actor.js';
import {
  createdSubscriptionAnswer,
  oneSubscriptionAnswer,
  subscriptionAnswer,
  subscriptionsAnswer,
} from './answers.js';
import { presentSecrets, presentSubscription } from './present.js';
import { changedOrProblem, problems, refused, subscriptionNotFound } from './problems.js';
import { newSubscription, subscriptionPage, subscriptionParams, subscriptionPatch } from './requests.js';

export interface SubscriptionParts {
  readonly subscribe: Subscribe;
  readonly change: ChangeSubscription;
  readonly subscriptions: Pick<SubscriptionStore, 'find' | 'list' | 'remove' | 'secretVersions'>;
}

/** Who is told of what: made, read, changed and deleted. */
export function subscriptionRoutes(parts: SubscriptionParts): Route[] {
  return [
    createSubscription(parts.subscribe),
    listSubscriptions(parts.subscriptions),
    readSubscription(parts.subscriptions),
    updateSubscription(parts.change),
    deleteSubscription(parts.subscriptions),
  ];
}

function createSubscription(subscribe: Subscribe): Route {
  return route({
    method: 'post',
    path: '/subscriptions',
    scope: 'subscriptions:write',
    summary: 'Subscribe a URL to event types',
    description: 'The answer shows the signing secret, and no other ever will.',
    body: newSubscription,
    answers: { 201: { description: 'Made', schema: createdSubscriptionAnswer } },
    problems: [problems.urlRefused, problems.secretRefused],
    async handle({ body, caller }) {
      const subscribed = await subscribe(actorOf(caller), body);
      if (subscribed.kind === 'refused') throw refused(subscribed);
      const { subscription, secret } = subscribed;
      return {
        status: 201,
        body: { ...presentSubscription(subscription), secret },
        headers: { location: `/subscriptions/${subscription.id}` },
      };
    },
  });
}

function listSubscriptions(subscriptions: SubscriptionParts['subscriptions']): Route {
  return route({
    method: 'get',
    path: '/subscriptions',
    scope: 'subscriptions:read',
    summary: 'Subscriptions in the order of their ids',
    query: subscriptionPage,
    answers: { 200: { description: 'One page', schema: subscriptionsAnswer } },
    async handle({ query, caller }) {
      const page = await subscriptions.list(actorOf(caller).tenantId, query);
      const nextAfter = page.length === query.limit ? (page.at(-1)?.id ?? null) : null;
      return { status: 200, body: { subscriptions: page.map(presentSubscription), nextAfter } };
    },
  });
}

function readSubscription(subscriptions: SubscriptionParts['subscriptions']): Route {
  return route({
    method: 'get',
    path: '/subscriptions/:id',
    scope: 'subscriptions:read',
    summary: 'A subscription, and which of its secrets are valid',
    params: subscriptionParams,
    answers: { 200: { description: 'As it stands', schema: oneSubscriptionAnswer } },
    problems: [problems.subscriptionNotFound],
    async handle({ params: { id }, caller }) {
      const subscription = await subscriptions.find(actorOf(caller).tenantId, id);
      if (subscription === undefined) throw subscriptionNotFound(id);
      const secrets = presentSecrets(await subscriptions.secretVersions(id));
      return { status: 200, body: { ...presentSubscription(subscription), secrets } };
    },
  });
}

function updateSubscription(change: ChangeSubscription): Route {
  return route({
    method: 'patch',
    path: '/subscriptions/:id',
    scope: 'subscriptions:write',
    summary: 'Change the settings of a subscription that are named',
    description: 'What waits for it is delivered by the new settings.',
    params: subscriptionParams,
    body: subscriptionPatch,
    answers: { 200: { description: 'As it is now', schema: subscriptionAnswer } },
    problems: [problems.subscriptionNotFound, problems.subscriptionOutdated, problems.urlRefused],
    async handle({ params: { id }, body: { version, ...patch }, caller }) {
      const changed = await change.update(actorOf(caller), { id, patch, version });
      return { status: 200, body: presentSubscription(changedOrProblem(id, changed)) };
    },
  });
}

function deleteSubscription(subscriptions: SubscriptionParts['subscriptions']): Route {
  return route({
    method: 'delete',
    path: '/subscriptions/:id',
    scope: 'subscriptions:write',
    summary: 'Delete a subscription, wipe its secrets and cancel what waits for it',
    params: subscriptionParams,
    answers: { 204: { description: 'Deleted' } },
    problems: [problems.subscriptionNotFound],
    async handle({ params: { id }, caller }) {
      if (await subscriptions.remove(actorOf(caller), id)) return { status: 204 };
      throw subscriptionNotFound(id);
    },
  });
}
