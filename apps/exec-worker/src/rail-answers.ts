import type { SendResult, StatusResult } from '@sluice/outbox';

/** What came back from the rail gateway, as far as it could be read. */
export interface RailAnswer {
  readonly httpStatus: number;
  /** `status` of a success, `code` of a refusal; empty when the answer has neither */
  readonly word: string;
  readonly reference?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

type Verdict = 'executed' | 'retryable' | 'terminal';

/**
 * Every answer to an instruction that is understood. Anything else may mean anything, so its outcome is unknown: a 500
 * may come after the money has moved.
 */
export const verdicts: Readonly<Record<string, Verdict>> = {
  '200 EXECUTED': 'executed',
  '429 RATE_LIMITED': 'retryable',
  '503 RAIL_UNAVAILABLE': 'retryable',
  '400 IDEMPOTENCY_KEY_REQUIRED': 'terminal',
  '400 NOT_JSON': 'terminal',
  '409 IDEMPOTENCY_CONFLICT': 'terminal',
  '413 BODY_TOO_LARGE': 'terminal',
  '422 ACCOUNT_CLOSED': 'terminal',
  '422 ACCOUNT_NOT_FOUND': 'terminal',
  '422 INVALID_INSTRUCTION': 'terminal',
  '422 LIMIT_EXCEEDED': 'terminal',
};

/** The connection was never made, so nothing can have been executed. Every other failure leaves the outcome open. */
export const notSentCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export function judgeSend(answer: RailAnswer): SendResult {
  const code = answer.word || `HTTP_${answer.httpStatus}`;
  const message = `the rail answered ${answer.httpStatus} ${answer.word}`.trimEnd();
  const verdict = verdicts[`${answer.httpStatus} ${answer.word}`] ?? 'unknown';
  switch (verdict) {
    case 'executed':
      return { kind: 'executed', reference: answer.reference, code };
    case 'retryable':
      return { kind: 'retryable', code, message, retryAfterMs: answer.retryAfterMs };
    case 'terminal':
      return { kind: 'terminal', code, message };
    case 'unknown':
      return { kind: 'unknown', code, message };
  }
}

/** The rail's 404 UNKNOWN is final: it would recognise the key if the instruction still arrived. */
export function judgeStatus(answer: RailAnswer): StatusResult {
  const said = `${answer.httpStatus} ${answer.word}`;
  if (said === '200 EXECUTED') return { kind: 'executed', reference: answer.reference, code: answer.word };
  if (said === '404 UNKNOWN') return { kind: 'notExecuted' };
  const code = answer.word || `HTTP_${answer.httpStatus}`;
  return { kind: 'unknown', code, message: `the rail answered the status query with ${said}`.trimEnd() };
}

/** A call that ended without an answer. */
export function judgeFailure(error: unknown): Extract<SendResult, { kind: 'retryable' | 'unknown' }> {
  const code = codeOf(error);
  if (notSentCodes.has(code)) {
    return { kind: 'retryable', code, message: `the rail could not be reached (${code})` };
  }
  return { kind: 'unknown', code, message: `the call to the rail ended without an answer (${code})` };
}

function codeOf(error: unknown): string {
  if (error instanceof DOMException)
    return error.name === 'TimeoutError' ? 'RAIL_TIMEOUT' : 'RAIL_CALL_ABORTED';
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code !== '' ? code : 'RAIL_CALL_FAILED';
}
