import { route } from '@sluice/service-kit/http';
import type { Route } from '@sluice/service-kit/http';
import type { EventViews } from '../api-ports.js';
import { eventId } from '../event.js';
import type { Publish, Published } from '../publish-event.js';
import { actorOf } from './actor.js';
import { acceptedAnswer, attemptsAnswer, eventAnswer } from './answers.js';
import { presentAttempt, presentEvent } from './present.js';
import { eventNotFound, problem, problems } from './problems.js';
import { eventParams, newEvent } from './requests.js';

export interface EventParts {
  readonly publish: Publish;
  readonly events: EventViews;
}

export function eventRoutes(parts: EventParts): Route[] {
  return [createEvent(parts.publish), readEvent(parts.events), readAttempts(parts.events)];
}

function createEvent(publish: Publish): Route {
  return route({
    method: 'post',
    path: '/events',
    scope: 'events:write',
    summary: 'Accept an event',
    description:
      'The answer comes once all replicas of Kafka that count have the event. The same event may be sent any number of times under its id, which is in the body or in the header `Idempotency-Key`.',
    body: newEvent,
    answers: { 202: { description: 'Kafka has the event', schema: acceptedAnswer } },
    problems: [problems.eventConflict, problems.eventMalformed, problems.eventNotAcknowledged],
    async handle({ bytes, body, caller, headers }) {
      const idempotencyKey = readIdempotencyKey(headers['idempotency-key'], body.id);
      const { tenantId } = actorOf(caller);
      const published = await publish({ tenantId, bytes, id: body.id, time: body.time, idempotencyKey });
      const id = acceptedOrProblem(published);
      return { status: 202, body: { id, status: 'accepted' }, headers: { location: `/events/${id}` } };
    },
  });
}

function readIdempotencyKey(
  header: string | string[] | undefined,
  idOfBody: string | undefined,
): string | undefined {
  if (header === undefined) return undefined;
  const parsed = eventId.safeParse(header);
  if (!parsed.success || (idOfBody ?? parsed.data) !== parsed.data) {
    const detail =
      'The header Idempotency-Key must be the id of the event: 1 to 200 letters, digits and . _ : -';
    throw problem(problems.eventMalformed, 'Not an event', { detail });
  }
  return parsed.data;
}

function acceptedOrProblem(published: Published): string {
  switch (published.kind) {
    case 'accepted':
      return published.id;
    case 'malformed':
      throw problem(problems.eventMalformed, 'Not an event', { detail: `${published.detail}.` });
    case 'conflict':
      throw problem(problems.eventConflict, 'Another event has this id', {
        detail: `There is an event ${published.id} with another content.`,
        extensions: { eventId: published.id },
      });
    case 'unavailable':
      throw problem(problems.eventNotAcknowledged, 'Not acknowledged by Kafka', {
        headers: { 'retry-after': '2' },
        extensions: { eventId: published.id },
      });
  }
}

function readEvent(events: EventViews): Route {
  return route({
    method: 'get',
    path: '/events/:id',
    scope: 'events:read',
    summary: 'An event with the state of each of its deliveries',
    params: eventParams,
    answers: { 200: { description: 'As it stands', schema: eventAnswer } },
    problems: [problems.eventNotFound],
    async handle({ params, caller }) {
      const event = await events.find(actorOf(caller).tenantId, params.id);
      if (event === undefined) throw eventNotFound(params.id);
      return { status: 200, body: presentEvent(event) };
    },
  });
}

function readAttempts(events: EventViews): Route {
  return route({
    method: 'get',
    path: '/events/:id/attempts',
    scope: 'events:read',
    summary: 'Everything that was tried to deliver an event, oldest first',
    params: eventParams,
    answers: { 200: { description: 'Up to 1,000 attempts', schema: attemptsAnswer } },
    problems: [problems.eventNotFound],
    async handle({ params, caller }) {
      const attempts = await events.attempts(actorOf(caller).tenantId, params.id);
      if (attempts === undefined) throw eventNotFound(params.id);
      return { status: 200, body: { attempts: attempts.map(presentAttempt) } };
    },
  });
}
