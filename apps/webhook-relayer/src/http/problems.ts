import { ProblemError } from '@sluice/service-kit/http';
import type { DocumentedProblem } from '@sluice/service-kit/http';
import type { SubscriptionView } from '../api-ports.js';
import type { Changed } from '../change-subscription.js';

/** The problems of this API as its documentation names them; those of keys, schemas and sizes are added there. */
export const problems = {
  storeUnavailable: {
    status: 503,
    code: 'STORE_UNAVAILABLE',
    description: 'The database did not answer; try again shortly.',
  },
  eventNotFound: {
    status: 404,
    code: 'EVENT_NOT_FOUND',
    description: 'There is no such event; one that was accepted a moment ago may not be stored yet.',
  },
  eventMalformed: { status: 422, code: 'EVENT_MALFORMED', description: 'The body is not an event.' },
  eventConflict: {
    status: 409,
    code: 'EVENT_ID_CONFLICT',
    description: 'Another event has this id; the same event may be sent any number of times.',
  },
  eventNotAcknowledged: {
    status: 503,
    code: 'EVENT_NOT_ACKNOWLEDGED',
    description:
      'Kafka did not acknowledge the event in time and may have it all the same. Send the same body again, with `eventId` in the header `Idempotency-Key` when it has no id.',
  },
  subscriptionNotFound: {
    status: 404,
    code: 'SUBSCRIPTION_NOT_FOUND',
    description: 'There is no such subscription, or it has been deleted.',
  },
  urlRefused: { status: 422, code: 'URL_REFUSED', description: 'Webhooks may not go to this URL.' },
  secretRefused: {
    status: 422,
    code: 'SECRET_REFUSED',
    description: 'The secret is not `whsec_` and the base64 of 24 to 64 bytes.',
  },
  subscriptionOutdated: {
    status: 409,
    code: 'SUBSCRIPTION_OUTDATED',
    description: 'Somebody else changed it first; `version` is what it is at now.',
  },
  subscriptionStatus: {
    status: 409,
    code: 'SUBSCRIPTION_STATUS',
    description: 'The status of the subscription does not allow this; `subscriptionStatus` is what it is.',
  },
  deliveryNotFound: { status: 404, code: 'DELIVERY_NOT_FOUND', description: 'There is no such delivery.' },
  deliveryNotFinished: {
    status: 409,
    code: 'DELIVERY_NOT_FINISHED',
    description: 'It is still being delivered.',
  },
  subscriptionEnded: {
    status: 409,
    code: 'SUBSCRIPTION_ENDED',
    description: 'The subscription of the delivery is disabled or deleted.',
  },
} as const satisfies Record<string, DocumentedProblem>;

type Known = (typeof problems)[keyof typeof problems];

interface Particulars {
  readonly detail?: string;
  readonly headers?: Record<string, string>;
  readonly extensions?: Record<string, unknown>;
}

/** One of the problems above, with what is particular to this answer. */
export function problem(known: Known, title: string, particulars: Particulars = {}): ProblemError {
  return new ProblemError({
    status: known.status,
    code: known.code,
    title,
    ...particulars,
    detail: particulars.detail ?? known.description,
  });
}

export function eventNotFound(id: string): ProblemError {
  const detail = `There is no event ${id}; one that was accepted a moment ago may not be stored yet.`;
  return problem(problems.eventNotFound, 'No such event', { detail });
}

export function subscriptionNotFound(id: string): ProblemError {
  const detail = `There is no subscription ${id}, or it has been deleted.`;
  return problem(problems.subscriptionNotFound, 'No such subscription', { detail });
}

export function refused({ field, detail }: { field: 'url' | 'secret'; detail: string }): ProblemError {
  const known = field === 'url' ? problems.urlRefused : problems.secretRefused;
  return problem(known, `The ${field} cannot be used`, { detail: `The ${field} cannot be used: ${detail}.` });
}

export function wrongStatus({ id, status }: SubscriptionView): ProblemError {
  return problem(problems.subscriptionStatus, 'The status of the subscription does not allow this', {
    detail: `The subscription ${id} is ${status}.`,
    extensions: { subscriptionStatus: status },
  });
}

/** The subscription as it was changed, or the problem why it was not. */
export function changedOrProblem(id: string, changed: Changed): SubscriptionView {
  switch (changed.kind) {
    case 'changed':
      return changed.subscription;
    case 'not-found':
      throw subscriptionNotFound(id);
    case 'wrong-status':
      throw wrongStatus(changed.subscription);
    case 'refused':
      throw refused(changed);
    case 'outdated':
      throw problem(problems.subscriptionOutdated, 'The subscription was changed by somebody else', {
        detail: `The subscription ${id} is at version ${changed.version}. Read it again and repeat the change.`,
        extensions: { version: changed.version },
      });
  }
}
