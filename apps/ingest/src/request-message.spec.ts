import { readRequestMessage, type HeaderValue } from './request-message.js';

const payment = {
  paymentId: 'p-1',
  participantId: 'acme',
  rail: 'ACH',
  amount: { minorUnits: 1250, currency: 'USD' },
  destination: { routingNumber: '021000021', accountNumber: '1' },
};
const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

function read(value: unknown, headers: Record<string, HeaderValue> = {}) {
  const bytes = Buffer.isBuffer(value) || value === null ? value : Buffer.from(JSON.stringify(value));
  return readRequestMessage({ topic: 't', partition: 0, offset: '1', key: null, value: bytes, headers });
}

const binary = {
  ce_specversion: Buffer.from('1.0'),
  ce_id: Buffer.from('1'),
  ce_source: Buffer.from('/shop'),
  ce_type: Buffer.from('payment.requested'),
};
const envelope = { specversion: '1.0', id: '1', source: '/shop', type: 'payment.requested' };

describe('a message', () => {
  test.each([
    ['as plain JSON', payment, {}],
    [
      'as a CloudEvent in binary form',
      payment,
      { ...binary, 'content-type': 'application/json; charset=utf-8' },
    ],
    [
      'as a CloudEvent in structured form',
      { ...envelope, data: payment },
      { 'content-type': 'application/cloudevents+json' },
    ],
    [
      'in structured form without the header',
      { ...envelope, time: '2030-01-01T00:00:00Z', data: payment },
      {},
    ],
    [
      'in structured form with its data in base64',
      { ...envelope, data_base64: Buffer.from(JSON.stringify(payment)).toString('base64') },
      {},
    ],
  ])('holds a payment %s', (_form, value, headers) => {
    expect(read(value, headers)).toEqual({ kind: 'request', request: payment, traceparent: undefined });
    expect(read(value, { ...headers, traceparent: Buffer.from(traceparent) })).toMatchObject({ traceparent });
  });

  test('may carry its trace as an attribute of the event', () => {
    expect(read({ ...envelope, traceparent, data: payment })).toMatchObject({ traceparent });
    expect(read(payment, { ...binary, ce_traceparent: traceparent })).toMatchObject({ traceparent });
  });

  test.each([
    ['EMPTY', null, {}],
    ['EMPTY', Buffer.alloc(0), {}],
    ['NOT_JSON', Buffer.from('{"paymentId"'), {}],
    ['NOT_JSON', Buffer.from([0x22, 0xff, 0x22]), {}],
    ['NOT_JSON', { ...envelope, data_base64: Buffer.from('{').toString('base64') }, {}],
    ['WRONG_ENVELOPE', { ...envelope, specversion: '0.3', data: payment }, {}],
    ['WRONG_ENVELOPE', payment, { ce_type: 'payment.requested' }],
    ['WRONG_ENVELOPE', payment, { ...binary, 'content-type': 'application/avro' }],
    ['WRONG_TYPE', payment, { ...binary, ce_type: 'payment.cancelled' }],
    ['WRONG_TYPE', { ...envelope, type: 'invoice.requested', data: payment }, {}],
    ['INVALID_REQUEST', { ...payment, priority: 1 }, {}],
    ['INVALID_REQUEST', envelope, {}],
    ['INVALID_REQUEST', 7, {}],
  ])('is a dead letter for %s', (reason, value, headers) => {
    expect(read(value, headers)).toMatchObject({ kind: 'dead', reason });
  });
});
