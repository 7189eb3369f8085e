/** Wall-clock time in a time zone. `date` is yyyy-mm-dd, `minutes` count from midnight. */
export interface ZonedTime {
  readonly date: string;
  readonly minutes: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

// Making a format costs a hundred times more than using it.
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  formats.set(timeZone, made);
  return made;
}

export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

export function zonedTime(instant: Date, timeZone: string): ZonedTime {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): string => parts.get(name) ?? '';
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    minutes: Number(part('hour')) * 60 + Number(part('minute')),
  };
}

/**
 * The instant at which the clocks of the zone show this time. A time that the clocks leap over in spring gives the
 * first instant after the leap, one that they show twice in autumn the first of the two.
 */
export function instantOf({ date, minutes }: ZonedTime, timeZone: string): Date {
  const asUtc = Date.parse(`${date}T00:00:00Z`) + minutes * 60_000;
  const shift = (at: number): number => {
    const shown = zonedTime(new Date(at), timeZone);
    return Date.parse(`${shown.date}T00:00:00Z`) + shown.minutes * 60_000 - Math.floor(at / 60_000) * 60_000;
  };
  // The offset of a day before and of a day after: they differ only where the clocks change in between.
  const candidates = [asUtc - shift(asUtc - 86_400_000), asUtc - shift(asUtc + 86_400_000)];
  const exact = candidates.filter((at) => at + shift(at) === asUtc);
  if (exact.length > 0) return new Date(Math.min(...exact));
  return new Date(firstAfterLeap(Math.min(...candidates), Math.max(...candidates), shift));
}

/** Within the leap's bounds, the first minute that has the offset of the end. */
function firstAfterLeap(low: number, high: number, shift: (at: number) => number): number {
  const after = shift(high);
  let [before, reached] = [low, high];
  while (reached - before > 60_000) {
    const middle = Math.floor((before + reached) / 120_000) * 60_000;
    if (shift(middle) === after) reached = middle;
    else before = middle;
  }
  return reached;
}

export function nextDate(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

/** 0 is Sunday. */
export function weekdayOf(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay();
}
