import type { NoAnswer, RailAnswer } from './rail.js';
import { classOf, unreachableCodes } from './rail-codes.js';
import type { AnswerClass } from './rail-codes.js';

/** What one call to a rail has taught us. */
export interface Verdict {
  readonly class: AnswerClass;
  readonly code: string;
  readonly message: string;
  readonly reference?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

export function judgeSend(answer: RailAnswer | NoAnswer): Verdict {
  if ('failure' in answer) return judgeFailure(answer);
  const { httpStatus, word, reference, retryAfterMs } = answer;
  const said = `${httpStatus} ${word}`.trimEnd();
  const code = word || `HTTP_${httpStatus}`;
  return { class: classOf(said), code, message: `the rail answered ${said}`, reference, retryAfterMs };
}

export type StatusVerdict =
  | { readonly class: 'executed'; readonly code: string; readonly reference?: string | undefined }
  | { readonly class: 'notExecuted' }
  /** the rail cannot be asked now: says nothing about the instruction, and something about the rail */
  | (Verdict & { readonly class: 'outage' | 'throttled' })
  | (Verdict & { readonly class: 'unknown' });

/** The rail's 404 UNKNOWN is final: it would recognise the key if the order still arrived. */
export function judgeStatus(answer: RailAnswer | NoAnswer): StatusVerdict {
  const verdict = judgeSend(answer);
  if (verdict.class === 'executed')
    return { class: 'executed', code: verdict.code, reference: verdict.reference };
  if (!('failure' in answer) && answer.httpStatus === 404 && answer.word === 'UNKNOWN') {
    return { class: 'notExecuted' };
  }
  const message = `${verdict.message} when it was asked for the status`;
  const isAway = verdict.class === 'outage' || verdict.class === 'throttled';
  return { ...verdict, message, class: isAway ? verdict.class : 'unknown' };
}

function judgeFailure({ failure: code }: NoAnswer): Verdict {
  return unreachableCodes.has(code)
    ? { class: 'outage', code, message: `the rail could not be reached (${code})` }
    : { class: 'unknown', code, message: `the call to the rail ended without an answer (${code})` };
}
