import {
  applyRules,
  enrichRequest,
  fingerprintOf,
  PaymentId,
  reasonOf,
  validateRequest,
  type PaymentRule,
} from '@sluice/payments';
import type { InitActivities, Verdict } from './phase-a.js';
import type { Payments } from './ports.js';

interface Parts {
  readonly payments: Pick<Payments, 'findStamps'>;
  readonly rules: readonly PaymentRule[];
}

interface Identified {
  readonly index: number;
  readonly request: unknown;
  readonly paymentId: PaymentId;
  readonly fingerprint: string;
}

/** Says of each request what is to become of it. Writes nothing. */
export function createAssessPayments({ payments, rules }: Parts): InitActivities['assessPayments'] {
  return async ({ requests, receivedAt }) => {
    const unreadable: Verdict[] = [];
    const identified: Identified[] = [];
    for (const [index, request] of requests.entries()) {
      const paymentId = readPaymentId(request);
      if (paymentId === undefined) unreadable.push({ kind: 'unreadable', index, reason: noUsableId });
      else identified.push({ index, request, paymentId, fingerprint: fingerprintOf(request) });
    }

    const stamps = await payments.findStamps([...new Set(identified.map(({ paymentId }) => paymentId))]);
    const taken = new Map(stamps.map(({ paymentId, fingerprint }) => [paymentId, fingerprint]));
    const seen = new Map<PaymentId, string>();
    const verdicts = identified.flatMap((payment): Verdict[] => {
      const { index, paymentId, fingerprint } = payment;
      const earlier = seen.get(paymentId);
      seen.set(paymentId, earlier ?? fingerprint);
      if (earlier !== undefined)
        return earlier === fingerprint ? [] : [{ kind: 'conflict', index, paymentId }];

      const stored = taken.get(paymentId);
      if (stored === undefined) return [assess(payment, new Date(receivedAt), rules)];
      return [{ kind: stored === fingerprint ? 'known' : 'conflict', index, paymentId }];
    });
    return [...unreadable, ...verdicts];
  };
}

const noUsableId = reasonOf('INVALID_REQUEST', 'the request has no usable paymentId');

function readPaymentId(request: unknown): PaymentId | undefined {
  const paymentId =
    typeof request === 'object' && request !== null && 'paymentId' in request && request.paymentId;
  return PaymentId.safeParse(paymentId).data;
}

function assess(
  { index, request, paymentId }: Identified,
  receivedAt: Date,
  rules: readonly PaymentRule[],
): Verdict {
  const validation = validateRequest(request);
  if (validation.kind === 'invalid') return { kind: 'rejected', index, paymentId, reason: validation.reason };
  const payment = enrichRequest(validation.request, receivedAt);
  const reason = applyRules(payment, rules);
  if (reason !== undefined) return { kind: 'rejected', index, paymentId, reason };
  return { kind: 'ready', index, paymentId, executeAt: payment.executeAt.toISOString() };
}
