/** What the checker needs to know of a payment that was accepted. */
export interface DemoPayment {
  readonly paymentId: string;
  readonly participantId: string;
  readonly minorUnits: number;
  readonly currency: string;
}

export interface DemoRequest {
  readonly accepted: DemoPayment;
  readonly body: Record<string, unknown>;
}

const destinations = [
  { rail: 'ACH', currency: 'USD', destination: { routingNumber: '021000021', accountNumber: '123456789' } },
  { rail: 'RTP', currency: 'USD', destination: { routingNumber: '011401533', accountNumber: '987654321' } },
  { rail: 'SEPA', currency: 'EUR', destination: { iban: 'DE89370400440532013000' } },
  { rail: 'WIRE', currency: 'USD', destination: { bic: 'DEUTDEFF', accountNumber: '5550001' } },
] as const;

/** A herd: `count` payments of ten participants over all rails that all want the same instant. */
export function herdOfPayments(run: string, count: number, executeAt: Date): DemoRequest[] {
  return Array.from({ length: count }, (_, index) => {
    const { rail, currency, destination } = destinations[index % destinations.length] ?? destinations[0];
    const payment = {
      paymentId: `${run}-${String(index + 1).padStart(4, '0')}`,
      participantId: `participant-${(index % 10) + 1}`,
    };
    const minorUnits = 1000 + index;
    return {
      accepted: { ...payment, minorUnits, currency },
      body: {
        ...payment,
        rail,
        amount: { minorUnits, currency },
        destination,
        executeAt: executeAt.toISOString(),
        reference: `demonstration ${run}`,
      },
    };
  });
}
