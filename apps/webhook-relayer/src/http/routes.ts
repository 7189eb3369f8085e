import { ProblemError, route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import { z } from 'zod';
import { eventId, eventSource, eventSubject, eventTime } from '../event.js';
import { eventType, eventTypePattern } from '../event-type.js';
import type { EventStore, SubscriptionStore } from '../ports.js';
import type { Publish } from '../publish-event.js';
import type { Subscribe } from '../subscribe.js';
import { DEFAULT_TENANT } from '../tenant.js';
import { presentAttempt, presentEvent, presentSubscription } from './present.js';

export interface RouteParts {
  readonly publish: Publish;
  readonly subscribe: Subscribe;
  readonly events: EventStore;
  readonly subscriptions: SubscriptionStore;
}

export function createRoutes(parts: RouteParts): Route[] {
  return [...eventRoutes(parts), ...subscriptionRoutes(parts), healthRoute()];
}

const newEvent = z.strictObject({
  id: eventId.optional(),
  type: eventType,
  source: eventSource,
  time: eventTime.optional(),
  subject: eventSubject.optional(),
  data: z.record(z.string(), z.unknown()),
});

const eventParams = z.object({ id: eventId });

function eventRoutes({ publish, events }: RouteParts): Route[] {
  return [
    route({
      method: 'post',
      path: '/events',
      scope: 'events:write',
      summary:
        'Accept an event; the answer comes once Kafka has it. The same id may be sent any number of times',
      body: newEvent,
      async handle({ bytes, body }) {
        const published = await publish(bytes, body);
        if (published.kind === 'malformed') throw malformedEvent(published.detail);
        if (published.kind === 'unavailable') throw notAcknowledged(published.id);
        const { id } = published;
        return { status: 202, body: { id, status: 'accepted' }, headers: { location: `/events/${id}` } };
      },
    }),
    route({
      method: 'get',
      path: '/events/:id',
      scope: 'events:read',
      summary: 'An event with the state of each of its deliveries',
      params: eventParams,
      async handle({ params }) {
        const event = await events.find(DEFAULT_TENANT, params.id);
        if (event === undefined) throw eventNotFound(params.id);
        return { status: 200, body: presentEvent(event) };
      },
    }),
    route({
      method: 'get',
      path: '/events/:id/attempts',
      scope: 'events:read',
      summary: 'Everything that was tried to deliver an event, oldest first',
      params: eventParams,
      async handle({ params }) {
        const event = await events.find(DEFAULT_TENANT, params.id);
        if (event === undefined) throw eventNotFound(params.id);
        const attempts = await events.attempts(DEFAULT_TENANT, params.id);
        return { status: 200, body: { attempts: attempts.map(presentAttempt) } };
      },
    }),
  ];
}

const newSubscription = z.strictObject({
  url: z.string().max(2_048),
  eventTypes: z.array(eventTypePattern).min(1).max(100),
  secret: z.string().max(200).optional(),
});

const subscriptionPage = z.strictObject({
  after: z.string().max(100).default(''),
  limit: z.coerce.number().int().min(1).max(200).default(100),
});

function subscriptionRoutes({ subscribe, subscriptions }: RouteParts): Route[] {
  return [
    route({
      method: 'post',
      path: '/subscriptions',
      scope: 'subscriptions:write',
      summary: 'Subscribe a URL to event types; the answer shows the signing secret, once',
      body: newSubscription,
      async handle({ body }) {
        const subscribed = await subscribe({ tenantId: DEFAULT_TENANT, ...body });
        if (subscribed.kind === 'refused') throw subscriptionRefused(subscribed);
        const { subscription, secret } = subscribed;
        return {
          status: 201,
          body: { ...presentSubscription(subscription), secret },
          headers: { location: `/subscriptions/${subscription.id}`, 'cache-control': 'no-store' },
        };
      },
    }),
    route({
      method: 'get',
      path: '/subscriptions',
      scope: 'subscriptions:read',
      summary: 'Subscriptions in the order of their ids; `after` takes the last id of the page before',
      query: subscriptionPage,
      async handle({ query }) {
        const page = await subscriptions.list(DEFAULT_TENANT, query);
        return { status: 200, body: { subscriptions: page.map(presentSubscription) } };
      },
    }),
    route({
      method: 'delete',
      path: '/subscriptions/:id',
      scope: 'subscriptions:write',
      summary: 'Delete a subscription and cancel what waits for it',
      params: z.object({ id: z.string().max(100) }),
      async handle({ params }) {
        if (await subscriptions.remove(DEFAULT_TENANT, params.id)) return { status: 204 };
        throw new ProblemError({
          status: 404,
          code: 'SUBSCRIPTION_NOT_FOUND',
          title: 'No such subscription',
          detail: `there is no subscription ${params.id}, or it has been deleted`,
        });
      },
    }),
  ];
}

function healthRoute(): Route {
  return route({
    method: 'get',
    path: '/health',
    scope: 'public',
    summary: 'Says that the API answers; readiness is told on the ops port',
    handle: () => Promise.resolve({ status: 200, body: { status: 'ok' } }),
  });
}

function eventNotFound(id: string): ProblemError {
  return new ProblemError({
    status: 404,
    code: 'EVENT_NOT_FOUND',
    title: 'No such event',
    detail: `there is no event ${id}; one that was accepted a moment ago may not be stored yet`,
  });
}

function malformedEvent(detail: string): ProblemError {
  return new ProblemError({ status: 422, code: 'EVENT_MALFORMED', title: 'Not an event', detail });
}

function notAcknowledged(id: string): ProblemError {
  return new ProblemError({
    status: 503,
    code: 'EVENT_NOT_ACKNOWLEDGED',
    title: 'Not acknowledged by Kafka',
    detail: `whether the event was taken is not known; send it again with the id ${id}`,
    headers: { 'retry-after': '1' },
    extensions: { eventId: id },
  });
}

function subscriptionRefused({ field, detail }: { field: 'url' | 'secret'; detail: string }): ProblemError {
  const code = field === 'url' ? 'URL_REFUSED' : 'SECRET_REFUSED';
  return new ProblemError({ status: 422, code, title: `The ${field} cannot be used`, detail });
}
