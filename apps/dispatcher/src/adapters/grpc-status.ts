import { isGrpcServiceError, ServiceError } from '@temporalio/client';

const CANCELLED = 1;
const DEADLINE_EXCEEDED = 4;
const UNAVAILABLE = 14;
export const RESOURCE_EXHAUSTED = 8;

/** The status and the text of a failed call to Temporal; no status when it did not fail there. */
export function readGrpcFailure(error: unknown): { status: number | undefined; text: string } {
  const cause = error instanceof ServiceError ? error.cause : error;
  const text = cause instanceof Error ? cause.message : String(cause);
  return { status: isGrpcServiceError(cause) ? cause.code : undefined, text };
}

/** No answer, or not in time. */
export function meansUnreachable(status: number | undefined): boolean {
  return status === CANCELLED || status === DEADLINE_EXCEEDED || status === UNAVAILABLE;
}
