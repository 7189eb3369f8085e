export interface Problem {
  readonly status: number;
  /** Stable, in SCREAMING_SNAKE; clients act on it. */
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly headers?: Record<string, string>;
  /** Further members of the answer. */
  readonly extensions?: Record<string, unknown>;
}

/** Thrown by a route to answer with this problem; everything in it is seen by the caller. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: string;
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(`${problem.title}: ${problem.detail}`, options);
    this.code = problem.code;
    this.problem = problem;
  }

  get status(): number {
    return this.problem.status;
  }
}

const INTERNAL: Problem = {
  status: 500,
  code: 'INTERNAL_ERROR',
  title: 'Internal error',
  detail: 'The request could not be completed. The request id finds the reason in the logs of the service.',
};

/** The problem that an error stands for. What was not meant for callers becomes a 500 that tells nothing of the inside. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  if (error instanceof URIError) {
    return {
      status: 400,
      code: 'MALFORMED_PATH',
      title: 'Malformed path',
      detail: 'The path contains a % that is not followed by two hex digits of UTF-8.',
    };
  }
  return INTERNAL;
}

/** The body of `application/problem+json` (RFC 9457). */
export function problemBody(problem: Problem, requestId: string): Record<string, unknown> {
  return {
    ...problem.extensions,
    type: `urn:sluice:problem:${problem.code.toLowerCase().replaceAll('_', '-')}`,
    title: problem.title,
    status: problem.status,
    detail: problem.detail,
    code: problem.code,
    requestId,
  };
}
