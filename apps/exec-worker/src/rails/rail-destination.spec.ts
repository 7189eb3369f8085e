import type { Instruction } from '@sluice/outbox';
import { instructionEntry } from '../outbox-entries.js';
import { contextFor } from '../testing/contexts.js';
import { Circuit } from './circuit.js';
import type { NoAnswer, Rail, RailAnswer, RailOrder } from './rail.js';
import { railDestination } from './rail-destination.js';
import { railProfiles } from './rail-profiles.js';

const policy = { failures: 2, openMs: 5_000, maxOpenMs: 20_000, probes: 1 };
const never = new AbortController().signal;

function instruction(change: Record<string, unknown> = {}): Instruction {
  const entry = instructionEntry(contextFor('p-1'));
  const payload = { ...(entry.payload as Record<string, unknown>), ...change };
  return { ...entry, payload, outboxId: 'o', sequenceId: 7, attemptNo: 1, enqueuedAt: new Date(0) };
}

/** A rail that answers in the words it is given, and keeps what it was sent. */
function bench(...answers: (RailAnswer | NoAnswer)[]) {
  const clock = { now: 0 };
  const sent: RailOrder[] = [];
  const next = () => Promise.resolve(answers.shift() ?? { failure: 'NOTHING_LEFT_TO_SAY' });
  const rail: Rail = {
    name: 'SEPA',
    capabilities: railProfiles.SEPA,
    send: (order) => {
      sent.push(order);
      return next();
    },
    status: next,
  };
  const circuit = new Circuit({ policy, monotonic: () => clock.now });
  return { clock, sent, destination: railDestination(rail, circuit) };
}

it.each([
  [
    { httpStatus: 200, word: 'EXECUTED', reference: 'R-1' },
    { kind: 'executed', reference: 'R-1' },
  ],
  [
    { httpStatus: 422, word: 'AB08' },
    { kind: 'retryable', code: 'AB08' },
  ],
  [
    { httpStatus: 422, word: 'AC04' },
    { kind: 'terminal', code: 'AC04' },
  ],
  [
    { httpStatus: 409, word: 'IDEMPOTENCY_CONFLICT' },
    { kind: 'terminal', holds: true },
  ],
  [
    { httpStatus: 500, word: '' },
    { kind: 'unknown', code: 'HTTP_500' },
  ],
  [
    { httpStatus: 429, word: 'RATE_LIMITED', retryAfterMs: 7 },
    { kind: 'deferred', retryAfterMs: 7 },
  ],
  [
    { httpStatus: 503, word: 'RAIL_UNAVAILABLE' },
    { kind: 'deferred', retryAfterMs: 1_000 },
  ],
  [{ failure: 'ECONNREFUSED' }, { kind: 'deferred', code: 'ECONNREFUSED' }],
  [{ failure: 'RAIL_TIMEOUT' }, { kind: 'unknown', code: 'RAIL_TIMEOUT' }],
])('tells the relay what %j means', async (answer, result) => {
  expect(await bench(answer).destination.send(instruction(), never)).toMatchObject(result);
});

it('sends nothing that is not a valid order, and asks no circuit about it', async () => {
  const { destination, sent } = bench();
  const worthless = instruction({ amount: { minorUnits: 0, currency: 'EUR' } });
  for (let n = 0; n < 5; n += 1) {
    expect(await destination.send(worthless, never)).toMatchObject({
      kind: 'terminal',
      code: 'INVALID_PAYLOAD',
    });
  }
  expect(sent).toEqual([]);
  expect(destination.capacity?.()).toBe(Infinity);
});

it('takes nothing while its circuit is open, then a probe, then everything', async () => {
  const down = { httpStatus: 503, word: 'RAIL_UNAVAILABLE' };
  const up = { httpStatus: 200, word: 'EXECUTED' };
  const { destination, clock, sent } = bench(down, down, up);
  await destination.send(instruction(), never);
  expect(await destination.send(instruction(), never)).toMatchObject({
    kind: 'deferred',
    retryAfterMs: 5_000,
  });
  expect(destination.capacity?.()).toBe(0);
  clock.now = 2_000;
  const kept = { kind: 'deferred', code: 'CIRCUIT_OPEN', retryAfterMs: 3_000 };
  expect(await destination.send(instruction(), never)).toMatchObject(kept);
  expect(await destination.status?.(instruction(), never)).toMatchObject(kept);
  expect(sent).toHaveLength(2);
  clock.now = 5_000;
  expect(destination.capacity?.()).toBe(1);
  expect(await destination.send(instruction(), never)).toMatchObject({ kind: 'executed' });
  expect(destination.capacity?.()).toBe(Infinity);
});

it('does not take refusals of payments for an outage', async () => {
  const refusal = { httpStatus: 422, word: 'ACCOUNT_CLOSED' };
  const { destination } = bench(...Array<RailAnswer>(10).fill(refusal));
  for (let n = 0; n < 10; n += 1) await destination.send(instruction(), never);
  expect(destination.capacity?.()).toBe(Infinity);
});

it.each([
  [
    { httpStatus: 200, word: 'EXECUTED', reference: 'R-1' },
    { kind: 'executed', reference: 'R-1' },
  ],
  [{ httpStatus: 404, word: 'UNKNOWN' }, { kind: 'notExecuted' }],
  [{ httpStatus: 503, word: 'RAIL_UNAVAILABLE' }, { kind: 'deferred' }],
  [{ failure: 'RAIL_TIMEOUT' }, { kind: 'unknown' }],
])('tells the relay what %j means for a status query', async (answer, result) => {
  expect(await bench(answer).destination.status?.(instruction(), never)).toMatchObject(result);
});

it('does not let the questions of a silent outage use up attempts, but those of a rail that is up', async () => {
  const silent = { failure: 'RAIL_TIMEOUT' };
  const { destination, clock } = bench(silent, silent, silent, silent);
  const ask = () => destination.status?.(instruction(), never);
  expect(await ask()).toMatchObject({ kind: 'unknown' });
  expect(await ask()).toMatchObject({ kind: 'deferred', code: 'RAIL_TIMEOUT', retryAfterMs: 5_000 });
  clock.now = 5_000;
  expect(await ask()).toMatchObject({ kind: 'deferred', code: 'RAIL_TIMEOUT', retryAfterMs: 10_000 });
  clock.now = 15_000;
  // A send is a send: whatever came of it, it was one more attempt.
  expect(await destination.send(instruction(), never)).toMatchObject({ kind: 'unknown' });
});
