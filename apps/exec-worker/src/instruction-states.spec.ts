import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptState, InstructionState } from '@sluice/outbox';

// The compiler keeps both complete: a state that the outbox gains or loses does not fit here any more.
const instructionStates: Record<InstructionState, true> = {
  PENDING: true,
  IN_FLIGHT: true,
  DISPATCHED: true,
  FAILED: true,
  IN_DOUBT: true,
  DISCARDED: true,
};
const isArrow: Record<AttemptState, boolean> = {
  DISPATCHING: true,
  DISPATCHED: true,
  RETRYABLE: true,
  DEFERRED: true,
  FAILED: true,
  IN_DOUBT: true,
  ZOMBIE_REQUEUE: true,
  LATE_RESULT: false,
  REDRIVEN: true,
  RESOLVED_EXECUTED: true,
  RESOLVED_NOT_EXECUTED: true,
  RESOLVED_RESEND: true,
  DISCARDED: true,
};

const page = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'state-machine.md'), 'utf8');
const section = /## An instruction\n(.*?)(?=\n## |$)/s.exec(page)?.[1] ?? '';
const arrows = [...section.matchAll(/^ {2}([A-Z_]+) --> ([A-Z_]+): ([A-Z_]+)$/gm)];

describe('docs/state-machine.md', () => {
  it('draws every state of an instruction and says what it means', () => {
    const drawn = new Set(arrows.flatMap(([, from, to]) => [from, to]));
    const described = [...section.matchAll(/^\| ([A-Z_]+) +\|/gm)].map(([, state]) => state);
    expect([...drawn].toSorted()).toEqual(Object.keys(instructionStates).toSorted());
    expect(described.toSorted()).toEqual(Object.keys(instructionStates).toSorted());
  });

  it('names every kind of attempt row once, as the arrow that it is', () => {
    const expected = Object.entries(isArrow).flatMap(([state, is]) => (is ? [state] : []));
    expect(arrows.map(([, , , row]) => row).toSorted()).toEqual(expected.toSorted());
  });
});
