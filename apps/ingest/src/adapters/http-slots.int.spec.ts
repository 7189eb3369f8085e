import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PaymentId } from '@sluice/payments';
import { SlotsUnavailableError } from '../errors.js';
import { httpSlots } from './http-slots.js';

const wishes = ['a', 'b'].map((id) => ({
  paymentId: PaymentId.parse(id),
  requestedTime: '2030-01-15T16:00:00.000Z',
}));
const slot = (eventId: string) => ({ eventId, scheduledTime: '2030-01-15T16:00:01.000Z', delayMs: 1000 });

let server: Server;
let answer: { status: number; body: string };
let observed: string[];
let slots: ReturnType<typeof httpSlots>;

beforeEach(async () => {
  observed = [];
  server = createServer((request, response) => {
    request.resume();
    response.writeHead(answer.status).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  slots = httpSlots({
    url: `http://127.0.0.1:${port}`,
    key: undefined,
    configName: 'payments',
    timeoutMs: 1000,
    observe: (outcome) => observed.push(outcome),
  });
});
afterEach(async () => {
  await slots.close();
  await new Promise((resolve) => server.close(resolve));
});

describe("slot-assigner's answer", () => {
  test('is taken if it has one slot or one refusal for each payment, in order', async () => {
    const refusal = { eventId: 'b', problem: { code: 'HORIZON_EXCEEDED', detail: 'no room' } };
    answer = { status: 200, body: JSON.stringify({ slots: [slot('a'), refusal] }) };
    expect(await slots.assign(wishes)).toEqual([
      { kind: 'assigned', paymentId: 'a', scheduledTime: '2030-01-15T16:00:01.000Z' },
      {
        kind: 'refused',
        paymentId: 'b',
        reason: { code: 'NO_SLOT', detail: 'HORIZON_EXCEEDED: no room' },
      },
    ]);
    expect(observed).toEqual(['answered']);
  });

  test.each([
    ['a slot is missing', 200, JSON.stringify({ slots: [slot('a')] })],
    ['the slots are in another order', 200, JSON.stringify({ slots: [slot('b'), slot('a')] })],
    [
      'a time is no time',
      200,
      JSON.stringify({ slots: [slot('a'), { ...slot('b'), scheduledTime: 'soon' }] }),
    ],
    ['it is not JSON', 200, '<html>'],
    ['it is longer than any answer can be', 200, 'x'.repeat(1_100_000)],
    ['it is an error', 401, '{"code":"WRONG_KEY"}'],
  ])('is not used if %s', async (_what, status, body) => {
    answer = { status, body };
    await expect(slots.assign(wishes)).rejects.toThrow(SlotsUnavailableError);
    expect(observed).toEqual(['failed']);
  });
});
