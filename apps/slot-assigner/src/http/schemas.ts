import { z } from 'zod';
import {
  EARLIEST_INSTANT,
  GROUP_LIMIT,
  LATEST_INSTANT,
  MAX_DELAY_LIMIT_MS,
  MAX_PER_WINDOW_LIMIT,
  WINDOW_SIZE_LIMIT_MS,
  formatDuration,
  parseDuration,
  parseInstant,
} from '@sluice/rate-window';

const configName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, '1 to 64 letters, digits, dots, dashes or underscores');

const eventId = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/, '1 to 128 letters, digits, dots, dashes, colons or underscores');

const requestedTime = z.string().transform((text, context) => {
  const instant = parseInstant(text);
  if (instant !== undefined && instant >= EARLIEST_INSTANT && instant < LATEST_INSTANT) return instant;
  const years = `${EARLIEST_INSTANT.getUTCFullYear()} to ${LATEST_INSTANT.getUTCFullYear() - 1}`;
  context.addIssue(`an ISO-8601 instant with Z or an offset, from the years ${years}`);
  return z.NEVER;
});

function duration(minMs: number, maxMs: number) {
  return z.string().transform((text, context) => {
    const milliseconds = parseDuration(text);
    if (milliseconds !== undefined && milliseconds >= minMs && milliseconds <= maxMs) return milliseconds;
    context.addIssue(
      `an ISO-8601 duration such as PT4S, ${formatDuration(minMs)} to ${formatDuration(maxMs)}, in whole milliseconds`,
    );
    return z.NEVER;
  });
}

export const slotBody = z.strictObject({ eventId, configName, requestedTime });

export const batchBody = z.strictObject({
  configName,
  events: z.array(z.strictObject({ eventId, requestedTime })).min(1).max(GROUP_LIMIT),
});

export const slotParams = z.strictObject({ eventId });
export const slotQuery = z.strictObject({ configName });

export const configQuery = z.strictObject({ name: configName.optional() });

export const configBody = z.strictObject({
  configName,
  maxPerWindow: z.int().min(1).max(MAX_PER_WINDOW_LIMIT),
  windowSize: duration(1, WINDOW_SIZE_LIMIT_MS),
  maxDelay: duration(0, MAX_DELAY_LIMIT_MS).optional(),
});
