// The laws of slot assignment, each as a check of a history. A check throws where its law is broken.
import { calendarOf } from '../calendar.js';
import type { RateConfig, Slot } from '../ports.js';
import { clip, lengthOf } from '../spans.js';
import { alignToWindow } from '../window.js';
import type { Answered, Moment } from './history.js';

type Law = (moments: readonly Moment[]) => void;

const eachMoment =
  (check: (moment: Moment, before: Moment | undefined) => void): Law =>
  (moments) =>
    moments.forEach((moment, index) => check(moment, moments[index - 1]));

const answersOf = (moment: Moment): Answered[] => moment.answers.flat();

/** No window holds more than the capacity in force lets it, and no number is given twice. */
export const capacity: Law = eachMoment((moment) => {
  const { config } = moment;
  const numbers = new Set(
    [...moment.slots.values()].map((slot) => `${slot.windowStart.getTime()} ${slot.slotNo}`),
  );
  if (numbers.size !== moment.slots.size) throw new Error('a number was given twice');
  for (const slot of newSlots(moment)) {
    if (slot.slotNo >= config.maxPerWindow) throw new Error(`number ${slot.slotNo} is past the capacity`);
    const taken = inWindow(moment, slot.windowStart.getTime()).length;
    if (taken > room(config, slot.windowStart.getTime(), 0)) throw new Error(`a window holds ${taken}`);
  }
});

/** An event has one slot, and every answer names it until it is given back. */
export const oneSlotAnEvent: Law = eachMoment((moment, before) => {
  for (const { answer, request } of answersOf(moment)) {
    if (!('slot' in answer)) continue;
    if (!sameSlot(moment.slots.get(request.eventId), answer.slot))
      throw new Error('an answer that is not true');
  }
  for (const [eventId, slot] of before?.slots ?? []) {
    const now = moment.slots.get(eventId);
    const released = moment.step.kind === 'release' && moment.step.eventId === eventId;
    if (!released && !sameSlot(now, slot)) throw new Error(`${eventId} lost its slot`);
  }
});

/** No slot lies before the time asked for nor in the past, and late comers get their share of a window at most. */
export const neverEarly: Law = eachMoment((moment) => {
  const fresh = answersOf(moment).flatMap(({ answer, from }) =>
    answer.kind === 'assigned' ? [{ slot: answer.slot, from }] : [],
  );
  for (const { slot, from } of fresh) {
    if (slot.scheduledTime.getTime() < from) throw new Error('a slot before its time');
    if (slot.scheduledTime.getTime() > from + moment.config.maxDelayMs)
      throw new Error('a slot past the horizon');
    const start = slot.windowStart.getTime();
    const late = fresh.filter((other) => other.slot.windowStart.getTime() === start && other.from >= from);
    const share = room(moment.config, start, from);
    if (late.length > share) throw new Error(`${late.length} late comers in a share of ${share}`);
  }
});

/** No slot is given while an earlier window has room for its event. */
export const workConserving: Law = eachMoment((moment) => {
  for (const { answer, from } of answersOf(moment)) {
    if (answer.kind !== 'assigned') continue;
    const size = moment.config.windowSizeMs;
    for (let start = alignToWindow(from, size); start < answer.slot.windowStart.getTime(); start += size) {
      const taken = inWindow(moment, start).length;
      if (taken < room(moment.config, start, from)) throw new Error('a window with room was passed by');
    }
  }
});

/** Slots of one version lie evenly: no span holds more than its share plus one. */
export const evenSpread: Law = eachMoment((moment) => {
  const { maxPerWindow, windowSizeMs } = moment.config;
  const times = newSlots(moment)
    .map((slot) => slot.scheduledTime.getTime())
    .sort((a, b) => a - b);
  for (const span of [100, 250, 500, 1_000]) {
    times.forEach((time, first) => {
      const inside = times.slice(first).filter((other) => other < time + span).length;
      // Times are whole milliseconds, so a span may reach one further than the cells do.
      if (inside > (maxPerWindow * (span + 1)) / windowSizeMs + 1) throw new Error(`${inside} in ${span} ms`);
    });
  }
});

/** An event that is refused leaves nothing behind. */
export const refusalsLeaveNoTrace: Law = eachMoment((moment, before) => {
  for (const { answer, request } of answersOf(moment)) {
    if ('slot' in answer) continue;
    if (moment.slots.has(request.eventId) && !answeredElsewhere(moment, request.eventId)) {
      throw new Error('a refused event has a slot');
    }
  }
  const placed = newSlots(moment).length;
  if (moment.step.kind === 'assign' && sum(moment) - sum(before) !== placed)
    throw new Error('capacity leaked');
});

/** A change of capacity moves no slot and touches no counter. */
export const changesMoveNothing: Law = eachMoment((moment, before) => {
  if (moment.step.kind !== 'capacity' || before === undefined) return;
  if (moment.slots.size !== before.slots.size) throw new Error('a change of capacity changed slots');
  const counts = ({ windows }: Moment): string =>
    JSON.stringify(windows.map(({ windowStart, taken }) => [windowStart, taken]));
  if (counts(moment) !== counts(before)) throw new Error('a change of capacity changed counters');
});

/** Later events of a group never get an earlier window than those before them that asked for the same time. */
export const monotone: Law = eachMoment((moment) => {
  for (const group of moment.answers) {
    const last = new Map<number, number>();
    for (const { answer, from } of group) {
      if (answer.kind !== 'assigned') continue;
      const start = answer.slot.windowStart.getTime();
      if (start < (last.get(from) ?? 0)) throw new Error('an event overtook the one before it');
      last.set(from, start);
    }
  }
});

/** Every request has one answer, and the counters add up to the slots. */
export const conservation: Law = eachMoment((moment) => {
  if (moment.step.kind === 'assign') {
    const asked = moment.step.groups.flat().length;
    if (answersOf(moment).length !== asked) throw new Error('a request without an answer');
  }
  if (sum(moment) !== moment.slots.size)
    throw new Error(`counters say ${sum(moment)}, slots ${moment.slots.size}`);
});

function newSlots(moment: Moment): Slot[] {
  return answersOf(moment).flatMap(({ answer }) => (answer.kind === 'assigned' ? [answer.slot] : []));
}

function inWindow(moment: Moment, start: number): Slot[] {
  return [...moment.slots.values()].filter((slot) => slot.windowStart.getTime() === start);
}

function answeredElsewhere(moment: Moment, eventId: string): boolean {
  return answersOf(moment).some(({ answer, request }) => request.eventId === eventId && 'slot' in answer);
}

/** Slots that a window may hold for somebody who asks for this time. */
function room(config: RateConfig, start: number, from: number): number {
  const whole = { from: start, until: start + config.windowSizeMs };
  const open = config.calendar === null ? [whole] : calendarOf(config.calendar).openSpans(whole);
  const ahead = lengthOf(clip(open, { from, until: whole.until }));
  return Math.floor((config.maxPerWindow * ahead) / config.windowSizeMs);
}

function sum(moment: Moment | undefined): number {
  return (moment?.windows ?? []).reduce((total, { taken }) => total + taken, 0);
}

function sameSlot(one: Slot | undefined, other: Slot): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
