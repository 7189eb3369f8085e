import type { OutboxEntry } from '@sluice/outbox';
import { context } from '../dispatch/queue-database.js';

export const railType = 'BENCH';

/** Whose instructions they are: order is kept for each participant, so this is what decides how much can go at once. */
export interface Shape {
  readonly name: string;
  readonly participantOf: (n: number) => string;
}

const evenly = (participants: number) => (n: number) => `participant-${n % participants}`;

export const shapes: readonly Shape[] = [
  { name: '1 participant', participantOf: evenly(1) },
  { name: '100 participants', participantOf: evenly(100) },
  { name: '10,000 participants', participantOf: evenly(10_000) },
  {
    name: '10,000, one with 10 %',
    participantOf: (n) => (n % 10 === 0 ? 'participant-large' : evenly(10_000)(n)),
  },
];

export function entryOf({ participantOf }: Shape, n: number): OutboxEntry {
  const instructionId = `ins-${n}`;
  return {
    instructionId,
    participantId: participantOf(n),
    idempotencyKey: instructionId,
    railType,
    payload: { instructionId, ...context },
  };
}
