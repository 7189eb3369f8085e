import { fingerprintOf, type PaymentRequest } from '@sluice/payments';
import type { Metrics } from './metrics.js';
import type { InitWorkflows, Payments } from './ports.js';

/**
 * accepted: it will reach a terminal state, whether this call or an earlier one brought it in.
 * conflict: the id belongs to a payment with another content.
 * unavailable: nothing was promised; the same request may be sent again.
 */
export type Acceptance =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'unavailable'; readonly cause: unknown };

export type AcceptPayment = (request: PaymentRequest) => Promise<Acceptance>;

interface Parts {
  readonly payments: Pick<Payments, 'findStamps'>;
  readonly workflows: Pick<InitWorkflows, 'start'>;
  readonly metrics: Pick<Metrics, 'intake'>;
}

/** Takes a payment in, once: the same request may come any number of times, over any number of days. */
export function createAcceptPayment({ payments, workflows, metrics }: Parts): AcceptPayment {
  const compare = (known: string | undefined, fingerprint: string): Acceptance => {
    const isSame = known === fingerprint;
    metrics.intake(isSame ? 'repeated' : 'conflict');
    return { kind: isSame ? 'accepted' : 'conflict' };
  };
  const unavailable = (cause: unknown): Acceptance => {
    metrics.intake('unavailable');
    return { kind: 'unavailable', cause };
  };

  return async (request) => {
    const fingerprint = fingerprintOf(request);
    // The table is asked first: Temporal forgets ids after its retention, and would take a changed payment for new.
    const known = await payments.findStamps([request.paymentId]).catch((cause: unknown) => ({ cause }));
    if ('cause' in known) return unavailable(known.cause);
    const [stamp] = known;
    if (stamp !== undefined) return compare(stamp.fingerprint, fingerprint);

    const outcome = await workflows.start({ request, fingerprint });
    switch (outcome.kind) {
      case 'started':
        metrics.intake('accepted');
        return { kind: 'accepted' };
      case 'exists':
        return compare(outcome.fingerprint, fingerprint);
      case 'unavailable':
        return unavailable(outcome.cause);
    }
  };
}
