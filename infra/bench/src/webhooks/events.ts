/** About the size of a payment event. */
const data = {
  paymentId: 'pay-00000000-0000-0000-0000-000000000000',
  participantId: 'participant-0001',
  rail: 'ACH',
  amount: { minorUnits: 123456, currency: 'USD' },
  status: 'ACCEPTED',
  reference: 'x'.repeat(200),
};

export function eventJson(id: string, type: string): string {
  return JSON.stringify({ id, type, source: 'bench', time: new Date().toISOString(), data });
}
