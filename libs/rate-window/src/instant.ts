// ISO-8601 instants: a date and a time with `Z` or an offset.

const INSTANT =
  /^(?<date>\d{4}-\d{2}-\d{2})T(?<clock>\d{2}:\d{2}(?::\d{2})?)(?:[.,](?<fraction>\d{1,9}))?(?<zone>Z|[+-]\d{2}:\d{2})$/;

/** Slots lie in this span; outside it a requested time is far more likely to be a mistake than a wish. */
export const EARLIEST_INSTANT = new Date('2000-01-01T00:00:00Z');
export const LATEST_INSTANT = new Date('2200-01-01T00:00:00Z');

/**
 * The instant that the text names, rounded up to a whole millisecond so that nothing is ever placed before it;
 * undefined when the text is not an instant, names a day or a time that does not exist, or has no offset.
 */
export function parseInstant(text: string): Date | undefined {
  const parts = INSTANT.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { date = '', clock = '', fraction = '', zone = '' } = parts;
  const seconds = clock.length === 5 ? `${clock}:00` : clock;
  // Date.parse rolls 30 February over into March; a date that does not come back as it went in does not exist.
  const wall = new Date(`${date}T${seconds}Z`);
  if (Number.isNaN(wall.getTime()) || wall.toISOString().slice(0, 19) !== `${date}T${seconds}`)
    return undefined;
  const start = Date.parse(`${date}T${seconds}${zone}`);
  if (Number.isNaN(start)) return undefined;
  const padded = fraction.padEnd(9, '0');
  const finer = Number(padded.slice(3)) > 0 ? 1 : 0;
  return new Date(start + Number(padded.slice(0, 3)) + finer);
}
