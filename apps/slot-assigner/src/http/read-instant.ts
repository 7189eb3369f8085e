import { EARLIEST_INSTANT, LATEST_INSTANT, parseInstant } from '@sluice/rate-window';

/** Texts whose instants are remembered; the events of a burst name few, and each is read twice: once to check it. */
const MOST_REMEMBERED = 2_000;
const remembered = new Map<string, Date>();

/** The instant that a text names; undefined when it names none, or one outside of all sense. */
export function readInstant(text: string): Date | undefined {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const instant = parseInstant(text);
  if (instant === undefined || instant < EARLIEST_INSTANT || instant >= LATEST_INSTANT) return undefined;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(text, instant);
  return instant;
}

/** The same for a text that a schema has checked. */
export function checkedInstant(text: string): Date {
  const instant = readInstant(text);
  if (instant === undefined)
    throw new RangeError(`${text} is not an instant; its schema lets too much through`);
  return instant;
}
