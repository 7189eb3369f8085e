import { SlotStoreRefusedError, SlotStoreUnavailableError } from '@sluice/rate-window';
import type { SlotAnswer } from '@sluice/rate-window';
import { ProblemError } from '@sluice/service-kit/http';
import type { DocumentedProblem } from '@sluice/service-kit/http';

const SECONDS_TO_RETRY = '1';

/** The problems of this API as its documentation names them; those of keys, schemas and sizes are added there. */
export const problems = {
  storeUnavailable: {
    status: 503,
    code: 'SLOT_STORE_UNAVAILABLE',
    description: 'The database did not answer; repeating the request is safe and gives no second slot.',
  },
  exhausted: {
    status: 503,
    code: 'WINDOWS_EXHAUSTED',
    description: 'Every window from the requested time up to the horizon `maxDelay` is full.',
  },
  overloaded: {
    status: 503,
    code: 'OVERLOADED',
    description: 'Too many events wait on this node, or these have waited too long; nothing was assigned.',
  },
  callerOverloaded: {
    status: 429,
    code: 'TOO_MANY_WAITING',
    description: 'Too many events of this caller wait on this node; nothing was assigned.',
  },
  noOpenTime: {
    status: 422,
    code: 'NO_OPEN_TIME',
    description: 'The calendar has no open time from the requested time up to the horizon `maxDelay`.',
  },
  storeRefused: {
    status: 422,
    code: 'SLOT_STORE_REFUSED',
    description: 'A value breaks a rule of the tables; repeating the request does not help.',
  },
  configNotFound: {
    status: 404,
    code: 'CONFIG_NOT_FOUND',
    description: 'There is no rate limit of this name.',
  },
  slotNotFound: {
    status: 404,
    code: 'SLOT_NOT_FOUND',
    description: 'The event has no slot under this rate limit, or retention has removed it.',
  },
  slotPast: {
    status: 409,
    code: 'SLOT_PAST',
    description: 'The time of the slot has come; it can no longer be given back.',
  },
  windowSizeInUse: {
    status: 409,
    code: 'WINDOW_SIZE_IN_USE',
    description: 'Slots lie ahead in windows of the present size, until `lastWindowEnd`.',
  },
  neverOpen: {
    status: 422,
    code: 'CALENDAR_NEVER_OPEN',
    description: 'The calendar leaves no open time between now and the horizon `maxDelay`.',
  },
} as const satisfies Record<string, DocumentedProblem>;

type Refusal = Extract<SlotAnswer, { readonly kind: 'exhausted' | 'closed' }>;

/** Why one event got no slot, for an answer by event. */
export function refusalOf({ kind, eventId, horizon }: Refusal): { code: string; detail: string } {
  const until = horizon.toISOString();
  if (kind === 'exhausted') {
    const detail = `Every window that event ${eventId} may use, up to ${until}, is full.`;
    return { code: problems.exhausted.code, detail };
  }
  const detail = `The calendar has no open time for event ${eventId} up to ${until}.`;
  return { code: problems.noOpenTime.code, detail };
}

/** The same for an answer about that event alone. */
export function refused(refusal: Refusal, windowSizeMs: number): ProblemError {
  if (refusal.kind === 'closed') {
    return new ProblemError({
      status: problems.noOpenTime.status,
      title: 'No open time',
      ...refusalOf(refusal),
    });
  }
  return new ProblemError({
    status: problems.exhausted.status,
    title: 'No window with room',
    ...refusalOf(refusal),
    // The window that leaves at the front of the horizon lets one in at its end.
    headers: { 'retry-after': String(Math.max(1, Math.ceil(windowSizeMs / 1_000))) },
  });
}

export function unknownConfig(configName: string): ProblemError {
  return new ProblemError({
    status: problems.configNotFound.status,
    code: problems.configNotFound.code,
    title: 'Rate limit not found',
    detail: `There is no active rate limit named ${configName}. POST /admin/rate-limit/config makes one.`,
  });
}

export function unknownSlot(eventId: string, configName: string): ProblemError {
  return new ProblemError({
    status: problems.slotNotFound.status,
    code: problems.slotNotFound.code,
    title: 'Slot not found',
    detail: `Event ${eventId} has no slot under ${configName}.`,
  });
}

export function slotPast(eventId: string, scheduledTime: Date): ProblemError {
  return new ProblemError({
    status: problems.slotPast.status,
    code: problems.slotPast.code,
    title: 'The time of the slot has come',
    detail: `The slot of event ${eventId} was at ${scheduledTime.toISOString()}; it stays as it is.`,
  });
}

export function overloaded(kind: 'overloaded' | 'caller-overloaded'): ProblemError {
  const { status, code } = kind === 'overloaded' ? problems.overloaded : problems.callerOverloaded;
  return new ProblemError({
    ...{ status, code },
    title: kind === 'overloaded' ? 'Too many requests are waiting' : 'Too many of your requests are waiting',
    detail: 'Nothing was assigned. Send the same request again later.',
    headers: { 'retry-after': SECONDS_TO_RETRY },
  });
}

export function windowSizeInUse(configName: string, lastWindowEnd: Date): ProblemError {
  return new ProblemError({
    status: problems.windowSizeInUse.status,
    code: problems.windowSizeInUse.code,
    title: 'Window size in use',
    detail:
      `Slots of ${configName} lie in windows of the present size until ${lastWindowEnd.toISOString()}; windows of ` +
      'another size would overlap them. Change the size after that time, or use another config name.',
    extensions: { lastWindowEnd: lastWindowEnd.toISOString() },
  });
}

export function neverOpen(configName: string, horizon: Date): ProblemError {
  return new ProblemError({
    status: problems.neverOpen.status,
    code: problems.neverOpen.code,
    title: 'The calendar never opens',
    detail:
      `Under this calendar ${configName} would have no slot up to ${horizon.toISOString()}, and every request would be ` +
      'refused. Open some time, or raise maxDelay.',
  });
}

/** What a use case throws, as an answer for the caller where it is meant for one. */
export async function translatingErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SlotStoreUnavailableError) throw storeUnavailable(error);
    if (error instanceof SlotStoreRefusedError) throw storeRefused(error);
    throw error;
  }
}

function storeUnavailable(cause: SlotStoreUnavailableError): ProblemError {
  return new ProblemError(
    {
      status: problems.storeUnavailable.status,
      code: cause.code,
      title: 'Slot store unavailable',
      detail: 'The database did not answer. Sending the same request again is safe and gives no second slot.',
      headers: { 'retry-after': SECONDS_TO_RETRY },
    },
    { cause },
  );
}

function storeRefused(cause: SlotStoreRefusedError): ProblemError {
  return new ProblemError(
    {
      status: problems.storeRefused.status,
      code: cause.code,
      title: 'Refused by the slot store',
      detail:
        'A value of the request breaks a rule of the tables. Sending the same request again does not help.',
    },
    { cause },
  );
}
