import type { InstructionView } from '@sluice/outbox';
import { ProblemError } from '@sluice/service-kit/http';
import type { DocumentedProblem } from '@sluice/service-kit/http';
import { OutcomeUnknownError, sqlState } from '@sluice/service-kit/pg';

/** The problems of this API as its documentation names them; those of keys, schemas and sizes are added there. */
export const problems = {
  outboxUnavailable: {
    status: 503,
    code: 'OUTBOX_UNAVAILABLE',
    description: 'The database did not answer. Look whether a change was made before repeating it.',
  },
  instructionNotFound: {
    status: 404,
    code: 'INSTRUCTION_NOT_FOUND',
    description: 'The outbox has never had such an instruction.',
  },
  participantNotFound: {
    status: 404,
    code: 'PARTICIPANT_NOT_FOUND',
    description: 'Nothing was ever enqueued for such a participant.',
  },
  notADeadLetter: {
    status: 409,
    code: 'NOT_A_DEAD_LETTER',
    description: 'Only a FAILED instruction can be redriven or discarded; `state` is what it is.',
  },
  paymentEnded: {
    status: 409,
    code: 'PAYMENT_ENDED',
    description: 'The payment has ended and its producer was told; a new payment is needed.',
  },
  notInDoubt: {
    status: 409,
    code: 'NOT_IN_DOUBT',
    description: 'Only an IN_DOUBT instruction can be resolved; `state` is what it is.',
  },
  notExecuted: {
    status: 409,
    code: 'INSTRUCTION_NOT_EXECUTED',
    description: 'No execution of the instruction is on record; `state` is what it is. Resolve it first.',
  },
  noticeRefused: {
    status: 409,
    code: 'NOTICE_REFUSED',
    description:
      'The payment cannot get from where it stands to where the notice says; `paymentStatus` is where it stands.',
  },
} as const satisfies Record<string, DocumentedProblem>;

type Refusal = (typeof problems)[keyof typeof problems];

/** A problem of the table, with what was found. */
export function refusal(
  problem: Refusal,
  detail: string,
  extensions: Record<string, unknown> = {},
): ProblemError {
  const { status, code, description } = problem;
  return new ProblemError({
    status,
    code,
    title: title(code),
    detail: `${detail} ${description}`,
    extensions,
  });
}

export function unknownInstruction(instructionId: string): ProblemError {
  return refusal(problems.instructionNotFound, `${instructionId} is not known.`);
}

export function wrongState(
  problem: typeof problems.notADeadLetter | typeof problems.notInDoubt,
  { instructionId, state }: InstructionView,
): ProblemError {
  return refusal(problem, `${instructionId} is ${state}.`, { state });
}

function title(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A database that is away is the caller's cue to come back, not a fault of this service. */
export async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!isAway(error)) throw error;
    const { status, code, description } = problems.outboxUnavailable;
    throw new ProblemError(
      { status, code, title: title(code), detail: description, headers: { 'retry-after': '5' } },
      { cause: error },
    );
  }
}

/** Lost connections have no SQLSTATE, and are errors of no class of their own. */
function isAway(error: unknown): boolean {
  if (error instanceof OutcomeUnknownError || error instanceof AggregateError) return true;
  const state = sqlState(error);
  if (state !== undefined) return /^(?:08|53|57P)/.test(state);
  return error instanceof Error && Object.getPrototypeOf(error) === Error.prototype;
}
