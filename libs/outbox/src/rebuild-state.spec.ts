import { rebuildState } from './rebuild-state.js';
import type { AttemptState, InstructionState } from './views.js';

it.each<[AttemptState[], InstructionState]>([
  [[], 'PENDING'],
  [['DISPATCHING'], 'IN_FLIGHT'],
  [['DISPATCHING', 'ZOMBIE_REQUEUE'], 'PENDING'],
  [['DISPATCHING', 'ZOMBIE_REQUEUE', 'DISPATCHING', 'LATE_RESULT'], 'IN_FLIGHT'],
  [['DISPATCHING', 'DISPATCHED', 'LATE_RESULT'], 'DISPATCHED'],
  [['DISPATCHING', 'FAILED', 'REDRIVEN'], 'PENDING'],
  [['DISPATCHING', 'IN_DOUBT', 'RESOLVED_NOT_EXECUTED', 'DISCARDED'], 'DISCARDED'],
])('after %j an instruction is %s', (states, state) => {
  expect(rebuildState(states.map((one) => ({ state: one })))).toBe(state);
});
