import {
  applyRules,
  enrichRequest,
  fingerprintOf,
  PaymentId,
  reasonOf,
  validateRequest,
  type Admission,
  type EnrichedPayment,
  type PaymentRule,
  type RailCalendars,
} from '@sluice/payments';
import type { InitActivities, Verdict } from './phase-a.js';
import type { Assessment, Receipts } from './ports.js';

export interface AssessParts {
  readonly assessment: Assessment;
  readonly receipts: Pick<Receipts, 'find'>;
  readonly calendars: RailCalendars;
  readonly rules: readonly PaymentRule[];
  readonly onRuleFailure: (rule: string, error: unknown) => void;
}

interface Identified {
  readonly index: number;
  readonly request: unknown;
  readonly paymentId: PaymentId;
  readonly fingerprint: string;
}

type Judged =
  Verdict | { readonly kind: 'candidate'; readonly index: number; readonly payment: EnrichedPayment };

/** Says of each request what is to become of it. Writes nothing but what the rules have to remember. */
export function createAssessPayments(parts: AssessParts): InitActivities['assessPayments'] {
  return async ({ requests, receivedAt }) => {
    const { identified, unreadable } = identify(requests);
    const ids = [...new Set(identified.map(({ paymentId }) => paymentId))];
    const stamps = await parts.assessment.findStamps(ids);
    const taken = new Map(stamps.map(({ paymentId, fingerprint }) => [paymentId, fingerprint]));
    const times = new Map(
      (await parts.receipts.find(ids)).map((receipt) => [receipt.paymentId, receipt.receivedAt]),
    );
    const seen = new Map<PaymentId, string>();
    const judged = identified.flatMap((one): Judged[] => {
      const { index, paymentId, fingerprint } = one;
      const earlier = seen.get(paymentId);
      seen.set(paymentId, earlier ?? fingerprint);
      if (earlier !== undefined)
        return earlier === fingerprint ? [] : [{ kind: 'conflict', index, paymentId }];

      const stored = taken.get(paymentId);
      if (stored === undefined) return [judge(one, times.get(paymentId) ?? new Date(receivedAt), parts)];
      return [{ kind: stored === fingerprint ? 'known' : 'conflict', index, paymentId }];
    });
    return [...unreadable, ...(await admit(judged, parts.assessment))];
  };
}

function identify(requests: readonly unknown[]) {
  const unreadable: Verdict[] = [];
  const identified: Identified[] = [];
  for (const [index, request] of requests.entries()) {
    const paymentId = readPaymentId(request);
    if (paymentId === undefined) unreadable.push({ kind: 'unreadable', index, reason: noUsableId });
    else identified.push({ index, request, paymentId, fingerprint: fingerprintOf(request) });
  }
  return { identified, unreadable };
}

const noUsableId = reasonOf('INVALID_REQUEST', 'the request has no usable paymentId');

function readPaymentId(request: unknown): PaymentId | undefined {
  const paymentId =
    typeof request === 'object' && request !== null && 'paymentId' in request && request.paymentId;
  return PaymentId.safeParse(paymentId).data;
}

function judge({ index, request, paymentId }: Identified, receivedAt: Date, parts: AssessParts): Judged {
  const validation = validateRequest(request);
  if (validation.kind === 'invalid') return { kind: 'rejected', index, paymentId, reason: validation.reason };
  const payment = enrichRequest(validation.request, receivedAt, parts.calendars);
  const reason = applyRules(payment, parts.rules, parts.onRuleFailure);
  return reason === undefined
    ? { kind: 'candidate', index, payment }
    : { kind: 'rejected', index, paymentId, reason };
}

/** What passed all rules that need no memory is asked of those that do, all at once. */
async function admit(judged: readonly Judged[], assessment: Assessment): Promise<Verdict[]> {
  const candidates = judged.flatMap((one) => (one.kind === 'candidate' ? [one.payment] : []));
  const admissions = candidates.length === 0 ? [] : await assessment.admit(candidates);
  const byId = new Map(admissions.map((admission) => [admission.paymentId, admission]));
  return judged.map((one) =>
    one.kind === 'candidate' ? toVerdict(one, byId.get(one.payment.request.paymentId)) : one,
  );
}

function toVerdict(
  { index, payment }: Extract<Judged, { kind: 'candidate' }>,
  admission: Admission | undefined,
): Verdict {
  const { paymentId } = payment.request;
  if (admission === undefined) throw new Error(`payment ${paymentId} was not judged`);
  if (admission.kind === 'refused') return { kind: 'rejected', index, paymentId, reason: admission.reason };
  return { kind: 'ready', index, paymentId, executeAt: payment.executeAt.toISOString() };
}
