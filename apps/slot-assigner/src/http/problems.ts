import { SlotStoreUnavailableError } from '@sluice/rate-window';
import { ProblemError } from '@sluice/service-kit/http';

const SECONDS_TO_RETRY = '1';

export const EXHAUSTED_CODE = 'WINDOWS_EXHAUSTED';

export function exhaustedDetail(eventId: string, horizon: Date): string {
  return `Every window that event ${eventId} may use, up to ${horizon.toISOString()}, is full.`;
}

export function exhausted(event: { eventId: string; horizon: Date; windowSizeMs: number }): ProblemError {
  return new ProblemError({
    status: 503,
    code: EXHAUSTED_CODE,
    title: 'No window with room',
    detail: exhaustedDetail(event.eventId, event.horizon),
    headers: { 'retry-after': String(Math.max(1, Math.ceil(event.windowSizeMs / 1_000))) },
  });
}

export function unknownConfig(configName: string): ProblemError {
  return new ProblemError({
    status: 404,
    code: 'CONFIG_NOT_FOUND',
    title: 'Rate limit not found',
    detail: `There is no active rate limit named ${configName}. POST /admin/rate-limit/config makes one.`,
  });
}

export function unknownSlot(eventId: string, configName: string): ProblemError {
  return new ProblemError({
    status: 404,
    code: 'SLOT_NOT_FOUND',
    title: 'Slot not found',
    detail: `Event ${eventId} has no slot under ${configName}.`,
  });
}

export function overloaded(): ProblemError {
  return new ProblemError({
    status: 503,
    code: 'OVERLOADED',
    title: 'Too many requests are waiting',
    detail: 'Nothing was assigned. Send the same request again later.',
    headers: { 'retry-after': SECONDS_TO_RETRY },
  });
}

export function windowSizeInUse(configName: string, lastWindowEnd: Date): ProblemError {
  return new ProblemError({
    status: 409,
    code: 'WINDOW_SIZE_IN_USE',
    title: 'Window size in use',
    detail:
      `Slots of ${configName} lie in windows of the present size until ${lastWindowEnd.toISOString()}; windows of ` +
      'another size would overlap them. Change the size after that time, or use another config name.',
    extensions: { lastWindowEnd: lastWindowEnd.toISOString() },
  });
}

/** What a use case throws, as an answer for the caller where it is meant for one. */
export async function translatingErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SlotStoreUnavailableError)) throw error;
    throw new ProblemError(
      {
        status: 503,
        code: error.code,
        title: 'Slot store unavailable',
        detail:
          'The database did not answer. Sending the same request again is safe and gives no second slot.',
        headers: { 'retry-after': SECONDS_TO_RETRY },
      },
      { cause: error },
    );
  }
}
