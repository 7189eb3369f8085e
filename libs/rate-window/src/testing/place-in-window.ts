import { calendarOf } from '../calendar.js';
import { DRAW_LIMIT, drawFor } from '../draw.js';
import type { RateConfig, Slot, SlotRequest } from '../ports.js';
import { clip, lengthOf } from '../spans.js';
import type { Span } from '../spans.js';
import { createSpread, slotOffset } from '../spread.js';

interface Window {
  readonly start: number;
  readonly numbers: ReadonlySet<number>;
  /** The requested time, or the present for one that is past. */
  readonly from: number;
  readonly horizon: number;
}

/** The lowest free number of the window whose slot lies in open time, not before the time asked for nor past the horizon. */
export function placeInWindow(config: RateConfig, request: SlotRequest, window: Window): Slot | undefined {
  const { maxPerWindow, windowSizeMs, calendar } = config;
  const whole = { from: window.start, until: window.start + windowSizeMs };
  const open = calendar === null ? [whole] : calendarOf(calendar).openSpans(whole);
  const ahead = clip(open, { from: window.from, until: whole.until });
  const share = (BigInt(maxPerWindow) * BigInt(lengthOf(ahead))) / BigInt(windowSizeMs);
  if (window.numbers.size >= share) return undefined;
  const usable = clip(ahead, { from: 0, until: window.horizon + 1 });
  if (usable.length === 0) return undefined;

  const spread = createSpread(maxPerWindow, config.version);
  for (let slotNo = 0; slotNo < maxPerWindow; slotNo += 1) {
    if (window.numbers.has(slotNo)) continue;
    const scheduled =
      config.spread === 'even'
        ? window.start + slotOffset(spread, windowSizeMs, slotNo)
        : drawnInstant(usable, drawFor(config.configName, request.eventId));
    if (!usable.some(({ from, until }) => scheduled >= from && scheduled < until)) continue;
    return {
      eventId: request.eventId,
      requestedTime: request.requestedTime,
      scheduledTime: new Date(scheduled),
      windowStart: new Date(window.start),
      slotNo,
    };
  }
  return undefined;
}

/** The instant that lies `draw` millionths into the spans. */
function drawnInstant(spans: readonly Span[], draw: number): number {
  let left = Number((BigInt(lengthOf(spans)) * BigInt(draw)) / BigInt(DRAW_LIMIT));
  for (const { from, until } of spans) {
    if (left < until - from) return from + left;
    left -= until - from;
  }
  throw new Error('a draw is smaller than its limit');
}
