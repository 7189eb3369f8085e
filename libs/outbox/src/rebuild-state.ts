import type { AttemptState, InstructionState } from './views.js';

/** Where an instruction is after such a row; undefined: where it was before. */
const stateAfter = {
  DISPATCHING: 'IN_FLIGHT',
  DISPATCHED: 'DISPATCHED',
  RETRYABLE: 'PENDING',
  DEFERRED: 'PENDING',
  FAILED: 'FAILED',
  IN_DOUBT: 'IN_DOUBT',
  ZOMBIE_REQUEUE: 'PENDING',
  LATE_RESULT: undefined,
  REDRIVEN: 'PENDING',
  RESOLVED_EXECUTED: 'DISPATCHED',
  RESOLVED_NOT_EXECUTED: 'FAILED',
  RESOLVED_RESEND: 'PENDING',
  DISCARDED: 'DISCARDED',
} as const satisfies Record<AttemptState, InstructionState | undefined>;

/** The state of an instruction by its attempts alone, oldest first: what the archive says must be what is. */
export function rebuildState(attempts: readonly { readonly state: AttemptState }[]): InstructionState {
  return attempts.reduce<InstructionState>((state, attempt) => stateAfter[attempt.state] ?? state, 'PENDING');
}
