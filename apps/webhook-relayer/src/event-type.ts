import { z } from 'zod';

const WORD = '[A-Za-z0-9_-]+';

/** A dotted name such as `payment.accepted`. */
export const eventType = z
  .string()
  .max(128)
  .regex(
    new RegExp(`^${WORD}(\\.${WORD})*$`),
    'expected words of letters, digits, _ and - with dots between',
  );

/** What a subscription asks for: a type, everything below a prefix (`payment.*`), or everything (`*`). */
export const eventTypePattern = z
  .string()
  .max(128)
  .regex(
    new RegExp(`^(\\*|${WORD}(\\.${WORD})*(\\.\\*)?)$`),
    'expected an event type, a prefix such as payment.*, or *',
  );

/**
 * Every pattern that matches the type. Matching is then a lookup of these few patterns among those subscribed to, which
 * an index can serve, instead of a comparison with each subscription.
 */
export function patternsMatching(type: string): string[] {
  const words = type.split('.');
  const prefixes = words.slice(0, -1).map((_, at) => `${words.slice(0, at + 1).join('.')}.*`);
  return [type, ...prefixes.reverse(), '*'];
}
