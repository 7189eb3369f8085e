import type { Payment, PaymentId, Reason } from '@sluice/payments';
import type { InitWorkflows, PaymentViews, Receipts } from './ports.js';

export type Sighting =
  | { readonly kind: 'found'; readonly payment: Payment; readonly flags: readonly Reason[] }
  /** Taken in, and Phase A has not written its row yet. */
  | { readonly kind: 'received'; readonly receivedAt: Date }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable'; readonly cause: unknown };

export type ViewPayment = (paymentId: PaymentId) => Promise<Sighting>;

interface Parts {
  readonly views: Pick<PaymentViews, 'find' | 'listFlags'>;
  readonly receipts: Pick<Receipts, 'find'>;
  readonly workflows: Pick<InitWorkflows, 'find'>;
}

export function createViewPayment({ views, receipts, workflows }: Parts): ViewPayment {
  async function find(paymentId: PaymentId): Promise<Sighting | undefined> {
    const payment = await views.find(paymentId);
    if (payment === undefined) return undefined;
    return { kind: 'found', payment, flags: await views.listFlags(paymentId) };
  }

  return async (paymentId) => {
    try {
      const found = await find(paymentId);
      if (found !== undefined) return found;
      const [receipt] = await receipts.find([paymentId]);
      if (receipt === undefined) return { kind: 'unknown' };
      // A receipt is written before the start, which may have failed; then the producer knows that nothing was promised.
      const run = await workflows.find(receipt.initWorkflowId);
      if (run.kind === 'unavailable') return run;
      // Phase A may have written the row between the questions; a run that Temporal has forgotten has long done so.
      const written = await find(paymentId);
      if (written !== undefined) return written;
      return run.kind === 'found' ? { kind: 'received', receivedAt: receipt.receivedAt } : run;
    } catch (cause) {
      return { kind: 'unavailable', cause };
    }
  };
}
