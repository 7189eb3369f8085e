/**
 * What an answer means for its instruction. The classes decide about everything that follows:
 *
 * - executed: the money has left.
 * - retry: surely not executed, and this very order may pass later. Uses up an attempt.
 * - throttled: surely not executed; the rail asks for a slower pace. No attempt.
 * - outage: surely not executed, and nothing else would be either: the rail is down, or does not know us. No attempt; the
 *   circuit counts it.
 * - reject: surely not executed and never will be, for reasons of the payment: it ends FAILED.
 * - hold: surely not executed, for reasons that a person has to look into before the participant goes on.
 * - unknown: nobody can say. The rail is asked before anything is sent a second time.
 */
export type AnswerClass = 'executed' | 'retry' | 'throttled' | 'outage' | 'reject' | 'hold' | 'unknown';

/** Answers of the gateway itself, the same for all rails. */
const gateway: Readonly<Record<string, AnswerClass>> = {
  '200 EXECUTED': 'executed',
  '429 RATE_LIMITED': 'throttled',
  '503 RAIL_UNAVAILABLE': 'outage',
  // Credentials that ran out refuse every order alike; a dead letter for each of them would help nobody.
  '401 UNAUTHORIZED': 'outage',
  '403 FORBIDDEN': 'outage',
  '400 IDEMPOTENCY_KEY_REQUIRED': 'hold',
  '400 NOT_JSON': 'hold',
  '413 BODY_TOO_LARGE': 'hold',
  // The rail executed this key with another content, so one of the two is wrong.
  '409 IDEMPOTENCY_CONFLICT': 'hold',
  '409 IDEMPOTENCY_IN_PROGRESS': 'unknown',
  '422 ACCOUNT_CLOSED': 'reject',
  '422 ACCOUNT_NOT_FOUND': 'reject',
  '422 INVALID_INSTRUCTION': 'reject',
  '422 LIMIT_EXCEEDED': 'reject',
};

/** ISO 20022 status reasons (pacs.002), as WIRE, RTP and SEPA give them. */
const iso20022: Readonly<Record<string, AnswerClass>> = {
  '422 AB05': 'retry', // the creditor's bank did not answer in time; the transaction was stopped
  '422 AB08': 'retry', // the creditor's bank is offline
  '422 TM01': 'retry', // after the cut-off time
  '422 AC01': 'reject', // wrong account number
  '422 AC04': 'reject', // closed account
  '422 AC06': 'reject', // blocked account
  '422 AG01': 'reject', // transaction forbidden on this account
  '422 AM02': 'reject', // amount not allowed
  '422 AM04': 'reject', // insufficient funds
  '422 MD07': 'reject', // end customer deceased
  '422 RC01': 'reject', // wrong bank identifier
  '422 RR04': 'reject', // regulatory reason
  '422 AM05': 'unknown', // duplicate: the rail has seen it before, so ask what became of it
};

/** Nacha return reasons, as ACH gives them for an entry that it does not take. */
const nacha: Readonly<Record<string, AnswerClass>> = {
  '422 R02': 'reject', // account closed
  '422 R03': 'reject', // no account
  '422 R04': 'reject', // invalid account number
  '422 R13': 'reject', // invalid routing number
  '422 R16': 'reject', // account frozen
  '422 R20': 'reject', // not a transaction account
};

/** Every answer that is understood, as `<HTTP status> <word>`. */
export const answerClasses: Readonly<Record<string, AnswerClass>> = { ...gateway, ...iso20022, ...nacha };

/** The connection was never made, so that nothing can have been executed. */
export const unreachableCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Anything that is not in the table may mean anything: a 500 may come after the money has moved. */
export function classOf(answer: string): AnswerClass {
  return Object.hasOwn(answerClasses, answer) ? (answerClasses[answer] ?? 'unknown') : 'unknown';
}

/** What the order itself did not pass, before anything was sent. */
export const invalidPayload = 'INVALID_PAYLOAD';

const rejections: ReadonlySet<string> = new Set([
  invalidPayload,
  ...Object.entries(answerClasses)
    .filter(([, answerClass]) => answerClass === 'reject')
    .map(([said]) => said.slice(said.indexOf(' ') + 1)),
]);

/** Whether an instruction that failed with this code can never be executed, however often it is sent. */
export function isRejection(code: string): boolean {
  return rejections.has(code);
}
