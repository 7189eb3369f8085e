import type { SlotAnswer, SlotRequest } from './ports.js';

/**
 * A group without repeated events, and the way back to one answer a request: the first request of an event counts, and
 * its repeats are told that it has a slot already.
 */
export function mergeRepeats(requests: readonly SlotRequest[]): {
  readonly distinct: readonly SlotRequest[];
  readonly restore: (answers: readonly SlotAnswer[]) => readonly SlotAnswer[];
} {
  const positions = new Map<string, number>();
  const distinct: SlotRequest[] = [];
  for (const request of requests) {
    if (positions.has(request.eventId)) continue;
    positions.set(request.eventId, distinct.length);
    distinct.push(request);
  }
  if (distinct.length === requests.length) return { distinct, restore: (answers) => answers };

  const restore = (answers: readonly SlotAnswer[]): readonly SlotAnswer[] => {
    const seen = new Set<string>();
    return requests.map(({ eventId }) => {
      const answer = answers[positions.get(eventId) ?? -1];
      if (answer === undefined) throw new Error(`no answer for event ${eventId}`);
      const repeated = seen.has(eventId);
      seen.add(eventId);
      return repeated && answer.kind === 'assigned' ? { kind: 'existing', slot: answer.slot } : answer;
    });
  };
  return { distinct, restore };
}
