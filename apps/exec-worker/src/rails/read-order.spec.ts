import type { Instruction } from '@sluice/outbox';
import { instructionEntry } from '../outbox-entries.js';
import { readOrder } from './read-order.js';
import { contextFor } from '../testing/contexts.js';

function instruction(
  change: Record<string, unknown> = {},
  request: Record<string, unknown> = {},
): Instruction {
  const entry = instructionEntry(contextFor('p-1', request));
  const payload = { ...(entry.payload as Record<string, unknown>), ...change };
  return { ...entry, payload, outboxId: 'o', sequenceId: 7, attemptNo: 1, enqueuedAt: new Date(0) };
}

it('tells the rail what to pay, with its place in the order', () => {
  expect(readOrder(instruction())).toEqual({
    kind: 'order',
    order: {
      key: 'ins-p-1',
      body: {
        instructionId: 'ins-p-1',
        paymentId: 'p-1',
        participantId: 'acme',
        sequence: 7,
        amount: { minorUnits: 1250, currency: 'EUR' },
        destination: { iban: 'DE89370400440532013000' },
        reference: 'invoice 7',
      },
    },
  });
});

it.each([
  ['no amount at all', { amount: undefined }],
  ['an amount of zero', { amount: { minorUnits: 0, currency: 'EUR' } }],
  ['half a cent', { amount: { minorUnits: 0.5, currency: 'EUR' } }],
  ['a currency that does not exist', { amount: { minorUnits: 1, currency: 'EUX' } }],
  ['an IBAN with wrong check digits', { destination: { iban: 'DE89370400440532013001' } }],
  ['a destination of another rail', { destination: { routingNumber: '021000021', accountNumber: '1' } }],
  ['another instruction', { instructionId: 'ins-p-2' }],
  ['another participant', { participantId: 'other' }],
])('refuses %s before anything is sent', (_case, change) => {
  expect(readOrder(instruction(change)).kind).toBe('invalid');
});

const usAccount = { routingNumber: '021000021', accountNumber: '123' };

it.each([
  { rail: 'ACH', currency: 'USD', right: usAccount, wrong: { ...usAccount, routingNumber: '021000022' } },
  { rail: 'RTP', currency: 'USD', right: usAccount, wrong: { ...usAccount, accountNumber: 'a'.repeat(18) } },
  {
    rail: 'WIRE',
    currency: 'USD',
    right: { bic: 'CHASUS33', accountNumber: '1' },
    wrong: { bic: 'CHAS0033', accountNumber: '1' },
  },
  {
    rail: 'SEPA',
    currency: 'EUR',
    right: { iban: 'DE89370400440532013000' },
    wrong: { iban: 'BR1800360305000010009795493C1' },
  },
])('knows what a destination of $rail looks like', ({ rail, currency, right, wrong }) => {
  const request = { rail, destination: right, amount: { minorUnits: 1, currency } };
  expect(readOrder(instruction({}, request)).kind).toBe('order');
  expect(readOrder(instruction({ destination: wrong }, request))).toMatchObject({
    kind: 'invalid',
    problems: expect.stringContaining('destination') as string,
  });
});

it('gives every attempt the same key', () => {
  const keys = [1, 2, 7].map((attemptNo) => {
    const reading = readOrder({ ...instruction(), attemptNo });
    return reading.kind === 'order' ? reading.order.key : undefined;
  });
  expect(new Set(keys)).toEqual(new Set(['ins-p-1']));
});

it('refuses a payload for another rail, and one that is none', () => {
  expect(readOrder({ ...instruction(), railType: 'WIRE' }).kind).toBe('invalid');
  expect(readOrder({ ...instruction(), payload: 'money' }).kind).toBe('invalid');
});

it('names fields, not account numbers', () => {
  const found = readOrder(instruction({ destination: { iban: 'DE00999988887777666655' } }));
  expect(found).toMatchObject({
    kind: 'invalid',
    problems: expect.stringContaining('destination.iban') as string,
  });
  expect(JSON.stringify(found)).not.toContain('99998888');
});
