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
export { hasAbaCheckDigit, hasIbanCheckDigits } from './destination.js';
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
export {
  applyRules,
  enrichRequest,
  standardRules,
  validateRequest,
  type EnrichedPayment,
  type PaymentRule,
  type Validation,
} from './rules.js';
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
  TransitionOutcome,
} from './store.js';
export { createPgPayments } from './adapters/pg-payments.js';
export { paymentsMigrations } from './migration-set.js';
