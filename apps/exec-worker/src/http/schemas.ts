import { z } from 'zod';
import { rails } from '@sluice/payments';
import { circuitModes } from '../rails/circuit.js';

// What comes in.

export const instructionParams = z.strictObject({ instructionId: z.string().min(1).max(200) });
export const participantParams = z.strictObject({ participantId: z.string().min(1).max(200) });
export const railParams = z.strictObject({ rail: z.enum(rails) });

const reason = z.string().trim().min(1).max(500).describe('Why; kept with the id of the caller');
export const reasonBody = z.strictObject({ reason });

/** A whole number in a query. */
export function count(most: number, standard: number) {
  return z.coerce.number().int().min(1).max(most).default(standard);
}

/** An instant with its offset from UTC; a local time would mean another instant to each reader. */
const instant = () => z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const deadLetterFilter = {
  rail: z
    .enum([...rails, 'EVENT'])
    .optional()
    .describe('Only of this rail; EVENT are the events of webhooks'),
  participantId: z.string().min(1).max(200).optional(),
  errorCode: z.string().min(1).max(100).optional().describe('Only those that ended with this code'),
  diedAfter: instant().optional().describe('Only those set aside at this instant or later'),
  diedBefore: instant().optional().describe('Only those set aside before this instant'),
};

export const deadLetterQuery = z.strictObject({
  limit: count(1000, 100),
  cursor: z.uuid().optional().describe('The nextCursor of the page before'),
  ...deadLetterFilter,
});

export const redriveBody = z.strictObject({
  reason,
  dryRun: z.boolean().default(true).describe('True shows what would be redriven and changes nothing'),
  limit: z.int().min(1).max(1_000).default(500).describe('Most dead letters of one call, oldest first'),
  ...deadLetterFilter,
});

export const resolveBody = z
  .discriminatedUnion('outcome', [
    z.strictObject({
      outcome: z.literal('EXECUTED').describe('The rail has executed it'),
      reference: z.string().trim().min(1).max(200).describe('The reference under which the rail has it'),
      reason,
    }),
    z.strictObject({
      outcome: z.literal('NOT_EXECUTED').describe('It was not, and stays a dead letter for now'),
      reason,
    }),
    z.strictObject({ outcome: z.literal('RESEND').describe('It was not, and is to be sent again'), reason }),
  ])
  .meta({ id: 'Resolution' });

export const circuitBody = z.strictObject({
  mode: z
    .enum(circuitModes)
    .describe('OPEN: nothing is sent. CLOSED: sent whatever happens. AUTO: as the rail behaves'),
  reason,
});

export const noticeBody = z.strictObject({
  instructionId: z.string().min(1).max(200),
  status: z.enum(['SETTLED', 'RETURNED']),
  code: z
    .string()
    .regex(/^[A-Z0-9_]{1,64}$/, 'capital letters, digits and underscores')
    .optional()
    .describe("The rail's reason for a return, such as R02 or AC04"),
  detail: z.string().max(500).optional(),
});

// What goes out, as JSON makes it.

const time = z.iso.datetime();
const text = z.string().optional();

const attempt = z
  .strictObject({
    attemptNo: z.int(),
    state: z
      .string()
      .describe('DISPATCHING, DISPATCHED, RETRYABLE, FAILED and so on; see docs/state-machine.md'),
    at: time,
    reference: text,
    code: text,
    errorCode: text,
    errorMessage: text,
    latencyMs: z.number().optional(),
    actor: text.describe("Of an operator's change: who"),
    reason: text.describe("Of an operator's change: why"),
  })
  .meta({ id: 'Attempt' });

const instructionState = z
  .enum(['PENDING', 'IN_FLIGHT', 'DISPATCHED', 'FAILED', 'IN_DOUBT', 'DISCARDED'])
  .meta({ id: 'InstructionState' });

export const instructionAnswer = z
  .strictObject({
    instructionId: z.string(),
    participantId: z.string(),
    sequenceId: z.int(),
    idempotencyKey: z.string(),
    railType: z.string(),
    state: instructionState,
    enqueuedAt: time,
    nextAttemptAt: time.optional(),
    attempts: z.array(attempt).describe('Oldest first'),
  })
  .meta({ id: 'Instruction' });

export const participantAnswer = z
  .strictObject({
    participantId: z.string(),
    state: z
      .enum(['IDLE', 'READY', 'BUSY', 'HELD'])
      .describe(
        'BUSY: something is being sent. HELD: nothing leaves until an operator has dealt with heldBy',
      ),
    nextSequenceId: z.int().describe('The number that its next instruction will get'),
    pending: z.int().describe('Counted up to 1,000'),
    oldestPending: z
      .strictObject({
        instructionId: z.string(),
        sequenceId: z.int(),
        railType: z.string(),
        attempts: z.int(),
        enqueuedAt: time,
        nextAttemptAt: time,
      })
      .optional(),
    inFlight: z.array(
      z.strictObject({
        instructionId: z.string(),
        sequenceId: z.int(),
        attemptNo: z.int(),
        claimedAt: time,
      }),
    ),
    leaseUntil: time.optional(),
    heldBy: z
      .strictObject({
        instructionId: z.string(),
        sequenceId: z.int(),
        state: z.enum(['FAILED', 'IN_DOUBT']),
        errorCode: z.string(),
        since: time,
      })
      .optional(),
  })
  .meta({ id: 'Participant' });

const deadLetter = z
  .strictObject({
    instructionId: z.string(),
    participantId: z.string(),
    sequenceId: z.int(),
    railType: z.string(),
    state: z.enum(['FAILED', 'IN_DOUBT']),
    holds: z.boolean().describe('Its participant waits for it'),
    attemptNo: z.int(),
    errorCode: z.string(),
    errorMessage: z.string(),
    enqueuedAt: time,
    diedAt: time,
  })
  .meta({ id: 'DeadLetter' });

export const deadLettersAnswer = z.strictObject({
  deadLetters: z.array(deadLetter).describe('In the order in which they were enqueued'),
  nextCursor: z.string().nullable().describe('For the next page; null on the last'),
});

export const redriveAnswer = z.strictObject({
  dryRun: z.boolean(),
  redriven: z.array(z.string()).describe('Instruction ids; with dryRun those that would be'),
  refused: z.array(z.strictObject({ instructionId: z.string(), why: z.string() })),
  more: z.boolean().describe('There are more than the limit; repeat the call'),
});

const circuitSetting = z.strictObject({
  mode: z.enum(circuitModes),
  reason: z.string(),
  by: z.string(),
  at: time,
});

export const railAnswer = z
  .strictObject({
    rail: z.enum(rails),
    capabilities: z.strictObject({
      recognisesKeys: z.boolean(),
      answersStatus: z.boolean(),
      finalOnExecution: z.boolean(),
    }),
    circuit: z
      .strictObject({
        state: z.enum(['CLOSED', 'OPEN', 'HALF_OPEN']),
        mode: z.enum(circuitModes),
        failuresInARow: z.int(),
        waitMs: z.number().describe('How long until the rail is tried again'),
      })
      .describe('As the instance that answers sees it'),
    setting: circuitSetting.nullable().describe('What an operator said; null if nobody has'),
  })
  .meta({ id: 'Rail' });

export const railsAnswer = z.strictObject({ rails: z.array(railAnswer) });

export const circuitChangesAnswer = z.strictObject({
  changes: z.array(
    z.strictObject({
      before: z.enum(circuitModes).nullable(),
      after: z.enum(circuitModes),
      reason: z.string(),
      by: z.string(),
      at: time,
    }),
  ),
});

export const noticeAnswer = z.strictObject({ instructionId: z.string(), paymentStatus: z.string() });
