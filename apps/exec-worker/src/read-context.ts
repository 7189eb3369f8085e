import { z } from 'zod';
import { PaymentId, readExecContext, reasonOf } from '@sluice/payments';
import type { PaymentExecContext, Reason } from '@sluice/payments';
import type { StepInput } from './exec-steps.js';

export type ContextReading =
  | { readonly kind: 'context'; readonly context: PaymentExecContext }
  | { readonly kind: 'unusable'; readonly paymentId: PaymentId; readonly reason: Reason };

/** The context as its schema sees it, or why the payment cannot be executed with it. */
export function readContext({ paymentId, contextJson }: StepInput): ContextReading {
  const unusable = (detail: string): ContextReading => ({
    kind: 'unusable',
    paymentId: PaymentId.parse(paymentId),
    reason: reasonOf('INVALID_CONTEXT', detail),
  });
  try {
    const context = readExecContext(contextJson);
    if (context.paymentId === paymentId) return { kind: 'context', context };
    return unusable(`the context is that of payment ${context.paymentId}`);
  } catch (error) {
    if (error instanceof SyntaxError) return unusable('the context is not JSON');
    if (error instanceof z.ZodError) return unusable(describe(error));
    throw error;
  }
}

/** Names fields and what is wrong with them, never their values: account numbers stay out of reasons. */
function describe(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join('.') || 'context'}: ${message}`).join('; ');
}
