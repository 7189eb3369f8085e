/**
 * The payment contract: what a producer sends, what execution gets, the states between, and where they are kept.
 *
 *   const request = PaymentRequest.parse(body);
 *   const fingerprint = fingerprintOf(request);
 *   const payments = createPgPayments();
 *   const [outcome] = await payments.insertScheduled(pool, [{ request, fingerprint, scheduledTime, initWorkflowId }]);
 *   const contextJson = writeExecContext(buildExecContext(request, outcome.scheduledTime));
 *   // later, inside the transaction that also writes the outbox:
 *   const context = readExecContext(contextJson);
 *   await payments.transition(client, { paymentId: context.paymentId, from: 'SCHEDULED', to: 'ACCEPTED', by });
 */
export { ParticipantId, PaymentId } from './identifiers.js';
export { Amount, Currency, formatAmount, minorUnitDigits } from './money.js';
export { hasAbaCheckDigit } from './destination.js';
export { hasIbanCheckDigits } from './iban.js';
export { PaymentRequest, Rail, rails, type Destination } from './request.js';
export {
  buildExecContext,
  contextVersion,
  PaymentExecContext,
  readExecContext,
  writeExecContext,
} from './context.js';
export { canonicalJson, fingerprintOf } from './fingerprint.js';
export {
  canTransition,
  initialStatuses,
  PaymentStatus,
  paymentStatuses,
  paymentTransitions,
} from './status.js';
export { reasonOf, type Reason } from './reason.js';
export { rejectionCodes, type RejectionCode } from './rules/codes.js';
export { validateRequest, type Validation } from './rules/validate-request.js';
export { enrichRequest, type EnrichedPayment, type RailCalendars } from './rules/enrich-request.js';
export { RailCalendar, RailCalendarsInput } from './rules/rail-calendar.js';
export { isTimeZone } from './rules/zoned-time.js';
export { applyRules, type PaymentRule } from './rules/payment-rule.js';
export { createRules, type RuleSettings } from './rules/standard-rules.js';
export type {
  Admission,
  AdmissionPolicy,
  Admissions,
  DuplicatePolicy,
  Limit,
  StoredLimit,
} from './rules/admission.js';
export { createPgAdmissions } from './rules/adapters/pg-admissions.js';
export type {
  InsertOutcome,
  Payment,
  PaymentStamp,
  PaymentStore,
  Queryable,
  RejectedPayment,
  ScheduledPayment,
  StatusChange,
  Transition,
  TransitionOfMany,
  TransitionOutcome,
} from './store.js';
export { createPgPayments } from './adapters/pg-payments.js';
export { paymentsMigrations } from './migration-set.js';
export { paymentRulesMigrations } from './rules/migration-set.js';
