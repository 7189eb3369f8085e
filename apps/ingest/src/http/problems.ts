import { ProblemError, type DocumentedProblem } from '@sluice/service-kit/http';

/** The problems of this API as its documentation names them; those of keys, schemas and sizes are added there. */
export const problems = {
  paymentConflict: {
    status: 409,
    code: 'PAYMENT_CONFLICT',
    description: 'The id belongs to a payment with another content; nothing was changed.',
  },
  keyReused: {
    status: 409,
    code: 'IDEMPOTENCY_KEY_REUSED',
    description: 'The `Idempotency-Key` came before with another body; nothing was changed.',
  },
  keyMalformed: {
    status: 400,
    code: 'IDEMPOTENCY_KEY_MALFORMED',
    description: 'The `Idempotency-Key` is not 1 to 200 printable ASCII characters.',
  },
  paymentUnknown: { status: 404, code: 'PAYMENT_UNKNOWN', description: 'No such payment was taken in.' },
  notCancellable: {
    status: 409,
    code: 'PAYMENT_NOT_CANCELLABLE',
    description:
      'The payment has left the queue or has ended; `paymentStatus` and `queueStatus` are where it stands.',
  },
  beingTakenIn: {
    status: 409,
    code: 'PAYMENT_BEING_TAKEN_IN',
    description: 'Phase A has not written the payment yet; try again shortly.',
  },
  intakeUnavailable: {
    status: 503,
    code: 'INTAKE_UNAVAILABLE',
    description: 'Temporal or the database is away. Nothing was promised; send the same again.',
  },
  paymentsUnavailable: {
    status: 503,
    code: 'PAYMENTS_UNAVAILABLE',
    description: 'Payments cannot be looked up at the moment.',
  },
} as const satisfies Record<string, DocumentedProblem>;

type Known = (typeof problems)[keyof typeof problems];

interface Words {
  readonly title: string;
  readonly detail: string;
  readonly extensions?: Record<string, unknown>;
}

/** The problem as it is thrown; one that passes tells when to come again. */
export function problem({ status, code }: Known, words: Words, cause?: unknown): ProblemError {
  const headers = status === 503 ? { headers: { 'retry-after': '5' } } : {};
  return new ProblemError({ status, code, ...words, ...headers }, cause === undefined ? {} : { cause });
}

export function conflict(paymentId: string): ProblemError {
  return problem(problems.paymentConflict, {
    title: 'Another payment has this id',
    detail: `Payment ${paymentId} was taken in before with another content. Nothing was changed; a different payment needs a paymentId of its own.`,
  });
}

export function unknown(paymentId: string): ProblemError {
  return problem(problems.paymentUnknown, {
    title: 'No such payment',
    detail: `No payment ${paymentId} was taken in.`,
  });
}

export function cannotTakeIn(cause: unknown): ProblemError {
  const words = {
    title: 'Payments cannot be taken in at the moment',
    detail: 'Nothing was promised. Send the same request again; it cannot be taken in twice.',
  };
  return problem(problems.intakeUnavailable, words, cause);
}

export function cannotLook(cause: unknown): ProblemError {
  const words = {
    title: 'Payments cannot be looked up at the moment',
    detail: 'Whether there is such a payment is not known. Ask again.',
  };
  return problem(problems.paymentsUnavailable, words, cause);
}

/** For reads: a database that is away is the caller's cue to come back, not a fault of this service. */
export async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw cause instanceof ProblemError ? cause : cannotLook(cause);
  }
}
