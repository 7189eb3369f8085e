/** Parts that a draw divides the open time of a window into. */
export const DRAW_LIMIT = 1_000_000;

/**
 * The random place of an event in its window, from 0 to DRAW_LIMIT - 1. It is a hash of the event, so that it is the same
 * whoever computes it and whenever.
 */
export function drawFor(configName: string, eventId: string): number {
  let hash = 0x811c9dc5;
  for (const character of `${configName}\n${eventId}`) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  // FNV alone leaves neighbours close together; the finish of MurmurHash3 does not.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % DRAW_LIMIT;
}
