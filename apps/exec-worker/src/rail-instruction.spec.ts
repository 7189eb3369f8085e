import type { Instruction } from '@sluice/outbox';
import { instructionEntry } from './outbox-entries.js';
import { readRailOrder } from './rail-instruction.js';
import { contextFor } from './testing/contexts.js';

function instruction(change: Record<string, unknown> = {}): Instruction {
  const entry = instructionEntry(contextFor('p-1'));
  const payload = { ...(entry.payload as Record<string, unknown>), ...change };
  return { ...entry, payload, outboxId: 'o', sequenceId: 7, attemptNo: 1, enqueuedAt: new Date(0) };
}

it('tells the rail what to pay, with its place in the order', () => {
  expect(readRailOrder(instruction())).toEqual({
    kind: 'order',
    rail: 'SEPA',
    body: {
      instructionId: 'ins-p-1',
      paymentId: 'p-1',
      participantId: 'acme',
      sequence: 7,
      amount: { minorUnits: 1250, currency: 'EUR' },
      destination: { iban: 'DE89370400440532013000' },
      reference: 'invoice 7',
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
  expect(readRailOrder(instruction(change)).kind).toBe('invalid');
});

it('refuses a payload for another rail, and one that is none', () => {
  expect(readRailOrder({ ...instruction(), railType: 'WIRE' }).kind).toBe('invalid');
  expect(readRailOrder({ ...instruction(), payload: 'money' }).kind).toBe('invalid');
});

it('names fields, not account numbers', () => {
  const found = readRailOrder(instruction({ destination: { iban: 'DE00999988887777666655' } }));
  expect(found).toMatchObject({
    kind: 'invalid',
    problems: expect.stringContaining('destination.iban') as string,
  });
  expect(JSON.stringify(found)).not.toContain('99998888');
});
