/**
 * Why Phase A turns a payment down, and what its producer can do. The codes are part of the contract: they stand in
 * the payment's `reason.code` and in the event `payment.rejected`, and none is ever given another meaning.
 */
export const rejectionCodes = {
  INVALID_REQUEST: 'The request is not a payment; the detail names every field that is wrong.',
  CURRENCY_NOT_ON_RAIL: 'The rail does not carry this currency.',
  AMOUNT_OVER_RAIL_LIMIT: 'The amount is more than the rail carries in one payment.',
  EXECUTE_AT_TOO_FAR: '`executeAt` is too far ahead.',
  CUT_OFF_PASSED:
    "The time lies behind the rail's cut-off or on a day it is closed, and the rail does not carry over.",
  DESTINATION_BLOCKED: 'Nothing is sent to banks of this country.',
  PAYMENT_LIMIT_EXCEEDED: 'The amount is more than this participant may send in one payment.',
  DAILY_LIMIT_EXCEEDED: 'With this payment the participant would send more than it may on that day.',
  DUPLICATE_SUSPECTED: 'The same participant sent the same amount to the same destination a short time ago.',
  RULE_FAILED: 'A rule could not be applied; the service logs why.',
  NO_SLOT: 'No window within reach has room for the payment.',
} as const;

export type RejectionCode = keyof typeof rejectionCodes;
