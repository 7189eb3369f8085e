// ISO-8601 durations of a fixed length. Years and months are refused: their length depends on the date, and a rate
// limit needs a window that is always the same size.

const DURATION =
  /^P(?:(?<weeks>\d{1,6})W|(?:(?<days>\d{1,6})D)?(?<time>T(?:(?<hours>\d{1,9})H)?(?:(?<minutes>\d{1,9})M)?(?:(?<seconds>\d{1,12})(?:[.,](?<fraction>\d{1,9}))?S)?)?)$/;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/**
 * Milliseconds of an ISO-8601 duration such as `PT4S`, `PT0.5S` or `P1DT12H`; undefined when the text is not one, or
 * when it is finer than a millisecond.
 */
export function parseDuration(text: string): number | undefined {
  const parts = DURATION.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { weeks, days, time, hours, minutes, seconds, fraction } = parts;
  if (time === 'T' || (weeks ?? days ?? time) === undefined) return undefined;
  const milliseconds = parseFraction(fraction ?? '');
  if (milliseconds === undefined) return undefined;
  return (
    Number(weeks ?? 0) * WEEK +
    Number(days ?? 0) * DAY +
    Number(hours ?? 0) * HOUR +
    Number(minutes ?? 0) * MINUTE +
    Number(seconds ?? 0) * SECOND +
    milliseconds
  );
}

/** The shortest ISO-8601 form of whole milliseconds: 4000 → `PT4S`, 86400000 → `P1D`. */
export function formatDuration(milliseconds: number): string {
  const days = Math.floor(milliseconds / DAY);
  const hours = Math.floor((milliseconds % DAY) / HOUR);
  const minutes = Math.floor((milliseconds % HOUR) / MINUTE);
  const seconds = (milliseconds % MINUTE) / SECOND;
  const date = days > 0 ? `${days}D` : '';
  const time = [
    hours > 0 ? `${hours}H` : '',
    minutes > 0 ? `${minutes}M` : '',
    seconds > 0 ? `${seconds}S` : '',
  ].join('');
  if (date === '' && time === '') return 'PT0S';
  return `P${date}${time === '' ? '' : `T${time}`}`;
}

function parseFraction(digits: string): number | undefined {
  const padded = digits.padEnd(3, '0');
  return /^0*$/.test(padded.slice(3)) ? Number(padded.slice(0, 3)) : undefined;
}
