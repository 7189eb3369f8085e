import { eventEntry, instructionEntry } from './outbox-entries.js';
import { contextFor } from './testing/contexts.js';

const now = new Date('2026-03-06T16:00:01.000Z');

it('makes one instruction of a payment, under one key', () => {
  expect(instructionEntry(contextFor('p-1'))).toEqual({
    instructionId: 'ins-p-1',
    participantId: 'acme',
    idempotencyKey: 'ins-p-1',
    railType: 'SEPA',
    payload: {
      instructionId: 'ins-p-1',
      paymentId: 'p-1',
      participantId: 'acme',
      rail: 'SEPA',
      amount: { minorUnits: 1250, currency: 'EUR' },
      destination: { iban: 'DE89370400440532013000' },
      reference: 'invoice 7',
    },
  });
});

it('tells of a change without the account', () => {
  const entry = eventEntry(contextFor('p-1'), { status: 'ACCEPTED' }, now);
  expect(entry).toEqual({
    instructionId: 'evt-p-1-payment.accepted',
    participantId: 'event:p-1',
    idempotencyKey: 'evt-p-1-payment.accepted',
    railType: 'EVENT',
    payload: {
      id: 'evt-p-1-payment.accepted',
      type: 'payment.accepted',
      source: 'sluice',
      time: '2026-03-06T16:00:01.000Z',
      data: {
        paymentId: 'p-1',
        participantId: 'acme',
        rail: 'SEPA',
        amount: { minorUnits: 1250, currency: 'EUR' },
        status: 'ACCEPTED',
      },
    },
  });
});

it('tells why a payment failed', () => {
  const reason = { code: 'INVALID_CONTEXT', detail: 'the context is not JSON' };
  const { payload } = eventEntry(contextFor('p-1'), { status: 'FAILED', reason }, now);
  expect(payload).toMatchObject({ type: 'payment.failed', data: { status: 'FAILED', reason } });
});
