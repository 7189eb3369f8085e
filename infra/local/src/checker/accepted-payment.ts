/** A payment as the client's own log has it: sent, and answered with "accepted". */
export interface AcceptedPayment {
  readonly paymentId: string;
  readonly participantId: string;
  readonly minorUnits: number;
  readonly currency: string;
}

export interface AcceptedPayments {
  readonly byId: ReadonlyMap<string, AcceptedPayment>;
  /** Accepted a second time with other content, which a conflict answer should have prevented. */
  readonly contradicted: readonly string[];
}

/** The same payment accepted twice is one payment: a repeated submission is answered like the first. */
export function distinctPayments(accepted: Iterable<AcceptedPayment>): AcceptedPayments {
  const byId = new Map<string, AcceptedPayment>();
  const contradicted = new Set<string>();
  for (const payment of accepted) {
    const first = byId.get(payment.paymentId);
    if (first === undefined) byId.set(payment.paymentId, payment);
    else if (!isSame(first, payment)) contradicted.add(payment.paymentId);
  }
  return { byId, contradicted: [...contradicted] };
}

function isSame(a: AcceptedPayment, b: AcceptedPayment): boolean {
  return a.participantId === b.participantId && a.minorUnits === b.minorUnits && a.currency === b.currency;
}
