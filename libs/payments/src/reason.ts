/** Why a payment was rejected, failed or was cancelled: a stable code for programs, a sentence for people. */
export interface Reason {
  readonly code: string;
  readonly detail: string;
}

const longestDetail = 500;

/**
 * A reason that may quote what a producer sent. Control characters and half surrogate pairs are replaced, since a
 * reason that the database refuses would hold up every payment of its chunk.
 */
export function reasonOf(code: string, detail: string): Reason {
  const clean = detail.toWellFormed().replace(/\p{Cc}/gu, '\u{FFFD}');
  const short = clean.length > longestDetail ? `${clean.slice(0, longestDetail - 1).toWellFormed()}…` : clean;
  return { code, detail: short };
}
