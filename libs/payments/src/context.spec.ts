import { buildExecContext, readExecContext, writeExecContext } from './context.js';
import { PaymentRequest } from './request.js';

const request = PaymentRequest.parse({
  paymentId: 'p-1',
  participantId: 'acme',
  rail: 'SEPA',
  amount: { minorUnits: 995, currency: 'EUR' },
  destination: { iban: 'DE89370400440532013000' },
  executeAt: '2030-01-15T16:00:00Z',
  reference: 'invoice 7',
});
const scheduledTime = new Date('2030-01-15T16:00:02.500Z');

// What version 1 looks like in the queue. Rows written by an older ingest wait for months: this text must be readable
// for as long as version 1 is.
const golden =
  '{"amount":{"currency":"EUR","minorUnits":995},"destination":{"iban":"DE89370400440532013000"},"participantId":"acme",' +
  '"paymentId":"p-1","rail":"SEPA","reference":"invoice 7","scheduledTime":"2030-01-15T16:00:02.500Z","version":1}';

describe('execution context', () => {
  test('of version 1 is written as it always was', () => {
    expect(writeExecContext(buildExecContext(request, scheduledTime))).toBe(golden);
  });

  test('of version 1 is read as it always was', () => {
    expect(readExecContext(golden)).toEqual(buildExecContext(request, scheduledTime));
  });

  test('carries no reference if the request has none', () => {
    const { reference: _none, ...without } = request;
    expect(buildExecContext(PaymentRequest.parse(without), scheduledTime)).not.toHaveProperty('reference');
  });

  test.each(['not json', '{}', golden.replace('"version":1', '"version":2'), golden.replace('SEPA', 'ACH')])(
    'is refused if it is %s',
    (text) => {
      expect(() => readExecContext(text)).toThrow();
    },
  );
});
