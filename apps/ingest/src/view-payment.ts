import type { Payment, PaymentId } from '@sluice/payments';
import type { InitWorkflows, Payments } from './ports.js';

export type Sighting =
  | { readonly kind: 'found'; readonly payment: Payment }
  /** Taken in, and Phase A has not written its row yet. */
  | { readonly kind: 'received'; readonly receivedAt: Date }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable'; readonly cause: unknown };

export type ViewPayment = (paymentId: PaymentId) => Promise<Sighting>;

interface Parts {
  readonly payments: Pick<Payments, 'find'>;
  readonly workflows: Pick<InitWorkflows, 'find'>;
}

export function createViewPayment({ payments, workflows }: Parts): ViewPayment {
  return async (paymentId) => {
    try {
      const payment = await payments.find(paymentId);
      if (payment !== undefined) return { kind: 'found', payment };

      const run = await workflows.find(paymentId);
      if (run.kind !== 'found') return run;
      // Phase A may have written the row between the two questions.
      const written = await payments.find(paymentId);
      if (written !== undefined) return { kind: 'found', payment: written };
      return { kind: 'received', receivedAt: run.startedAt };
    } catch (cause) {
      return { kind: 'unavailable', cause };
    }
  };
}
