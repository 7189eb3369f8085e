import { OutboxConflictError } from '@sluice/outbox';
import { rails } from '@sluice/payments';
import { httpGateway } from './adapters/http-rail.js';
import { instructionEntry } from './outbox-entries.js';
import { Circuit } from './rails/circuit.js';
import type { Rail } from './rails/rail.js';
import { railDestination } from './rails/rail-destination.js';
import { railProfiles } from './rails/rail-profiles.js';
import { contextFor } from './testing/contexts.js';
import { eventually } from './testing/eventually.js';
import { createRailBench, statesOf } from './testing/rail-bench.js';
import type { RailBench } from './testing/rail-bench.js';

const testName = process.env['TEST_NAME'] ?? 'alone';
let bench: RailBench;

beforeEach(() => {
  bench = createRailBench(process.env);
});
afterEach(() => bench.close());

const prefixOf = (name: string) => `ins-${testName}-${name}`;

it('has an instruction executed once, with its reference on record', async () => {
  await bench.startRelay();
  const instructionId = await bench.order('plain');
  const found = await bench.reaches(instructionId, 'DISPATCHED');
  expect(statesOf(found)).toEqual(['DISPATCHING', 'DISPATCHED']);
  expect(found.attempts.at(-1)).toMatchObject({
    reference: expect.stringMatching(/^SEPA-/) as string,
    code: 'EXECUTED',
  });
  expect(await bench.rail.ledger(instructionId)).toMatchObject([
    { idempotencyKey: instructionId, sequence: 1, minorUnits: 1250 },
  ]);
});

it('asks after a connection that was dropped, and does not pay twice', async () => {
  await bench.rail.tell({ instructionPrefix: prefixOf('dropped'), failure: 'after', times: 1 });
  await bench.startRelay();
  const instructionId = await bench.order('dropped');
  const found = await bench.reaches(instructionId, 'DISPATCHED');
  expect(statesOf(found)).toEqual(['DISPATCHING', 'RETRYABLE', 'DISPATCHING', 'DISPATCHED']);
  expect(await bench.rail.ledger(instructionId)).toHaveLength(1);
});

it.each([
  ['executed', true],
  ['did not execute', false],
])('asks after an answer that never came, from a rail that %s', async (_case, executes) => {
  const name = `silent-${executes}`;
  await bench.rail.tell({ instructionPrefix: prefixOf(name), failure: 'silent', executes, times: 1 });
  await bench.startRelay();
  const instructionId = await bench.order(name);
  const found = await bench.reaches(instructionId, 'DISPATCHED');
  expect(found.attempts[1]).toMatchObject({ state: 'RETRYABLE', errorCode: 'RAIL_TIMEOUT' });
  expect(await bench.rail.ledger(instructionId)).toHaveLength(1);
});

it('asks again until it is answered: an unclear outcome is never sent blindly, however long the rail is away', async () => {
  const prefix = prefixOf('blind');
  await bench.rail.tell(
    { instructionPrefix: prefix, failure: 'silent', executes: true, times: 1 },
    { instructionPrefix: prefix, failure: 'outage' },
  );
  await bench.startRelay();
  const instructionId = await bench.order('blind');
  await eventually('the rail was asked in vain', async () => {
    const found = await bench.outbox.findInstruction(instructionId);
    return (found?.attempts.filter(({ state }) => state === 'DEFERRED').length ?? 0) >= 3;
  });
  await bench.rail.tell();
  const { attempts } = await bench.reaches(instructionId, 'DISPATCHED');
  expect(attempts.at(-1)).toMatchObject({ attemptNo: 2, code: 'EXECUTED' });
  expect(await bench.rail.ledger(instructionId)).toHaveLength(1);
});

it('does not pay again what a dead relay had paid', async () => {
  await bench.rail.tell({ instructionPrefix: prefixOf('dead'), failure: 'silent', executes: true, times: 1 });
  const instructionId = await bench.order('dead');
  const [claim] = await bench.outbox.claim({
    railTypes: ['SEPA'],
    limit: 1,
    leaseSeconds: 0,
    token: '018f0000-0000-7000-8000-000000000001',
  });
  if (!claim) throw new Error('nothing was claimed');
  const gateway = httpGateway({ url: bench.rail.url, timeoutMs: 500, connections: 1 });
  const policy = { failures: 9, openMs: 1, maxOpenMs: 1, probes: 1 };
  const circuit = new Circuit({ policy, monotonic: () => performance.now() });
  const dying = railDestination(gateway.rail('SEPA', railProfiles.SEPA), circuit);
  expect(await dying.send(claim, AbortSignal.timeout(5_000))).toMatchObject({ kind: 'unknown' });
  await gateway.close();
  expect(await bench.outbox.reap({ railTypes: rails, limit: 10 })).toBe(1);

  await bench.startRelay();
  const found = await bench.reaches(instructionId, 'DISPATCHED');
  expect(statesOf(found)).toEqual(['DISPATCHING', 'ZOMBIE_REQUEUE', 'DISPATCHING', 'DISPATCHED']);
  expect(await bench.rail.ledger(instructionId)).toHaveLength(1);
});

describe('by the class of an error', () => {
  it('a retry holds its participant back and counts as an attempt', async () => {
    await bench.rail.tell({
      instructionPrefix: prefixOf('offline'),
      failure: 'answer',
      httpStatus: 422,
      code: 'AB08',
      times: 2,
    });
    await bench.startRelay();
    const [late, next] = [await bench.order('offline'), await bench.order('behind')];
    const found = await bench.reaches(late, 'DISPATCHED');
    expect(found.attempts.at(-1)?.attemptNo).toBe(3);
    await bench.reaches(next, 'DISPATCHED');
    const order = (await bench.rail.ledger(`ins-${testName}`)).map((line) => line.instructionId);
    expect(order.indexOf(late)).toBeLessThan(order.indexOf(next));
  });

  it('a rejection is a dead letter, and the next one goes', async () => {
    await bench.rail.tell({
      instructionPrefix: prefixOf('closed'),
      failure: 'reject',
      code: 'ACCOUNT_CLOSED',
    });
    await bench.startRelay();
    const [refused, next] = [await bench.order('closed'), await bench.order('open')];
    expect(statesOf(await bench.reaches(refused, 'FAILED'))).toEqual(['DISPATCHING', 'FAILED']);
    await bench.reaches(next, 'DISPATCHED');
    expect(await bench.rail.ledger(refused)).toEqual([]);
  });

  it('a key that the rail knows with another content holds the participant until a person has looked', async () => {
    const participantId = `${testName}-held`;
    await bench.rail.tell({
      instructionPrefix: prefixOf('clash'),
      failure: 'answer',
      httpStatus: 409,
      code: 'IDEMPOTENCY_CONFLICT',
    });
    await bench.startRelay();
    const clash = await bench.order('clash', { participantId });
    const next = await bench.order('waits', { participantId });
    await bench.reaches(clash, 'FAILED');
    expect(await bench.outbox.findParticipant(participantId)).toMatchObject({
      state: 'HELD',
      heldBy: { instructionId: clash, errorCode: 'IDEMPOTENCY_CONFLICT' },
    });
    await bench.outbox.discard({ instructionId: clash, actor: 'test', reason: 'looked into' });
    await bench.reaches(next, 'DISPATCHED');
  });

  it('a throttled order waits without counting an attempt', async () => {
    await bench.rail.tell({
      instructionPrefix: prefixOf('busy'),
      failure: 'answer',
      httpStatus: 429,
      code: 'RATE_LIMITED',
      times: 3,
    });
    await bench.startRelay();
    const { attempts } = await bench.reaches(await bench.order('busy'), 'DISPATCHED');
    expect(attempts.at(-1)?.attemptNo).toBe(1);
  });
});

it('keeps the order of every participant through dropped answers and refusals, with three relays', async () => {
  const prefix = prefixOf('order');
  await bench.rail.tell(
    { instructionPrefix: prefix, every: 4, offset: 0, failure: 'after', times: 1 },
    { instructionPrefix: prefix, every: 4, offset: 1, failure: 'before', times: 2 },
  );
  for (let n = 0; n < 3; n += 1) await bench.startRelay();
  const entries = Array.from({ length: 60 }, (_, n) =>
    instructionEntry(contextFor(`${testName}-order-${n}`, { participantId: `${testName}-p${n % 6}` })),
  );
  await bench.outbox.enqueue(bench.pool, entries);
  await eventually('all are executed', async () => (await bench.rail.ledger(prefix)).length >= 60);
  const lines = await bench.rail.ledger(prefix);
  expect(new Set(lines.map((line) => line.instructionId)).size).toBe(60);
  expect(lines).toHaveLength(60);
  for (const own of Map.groupBy(lines, (line) => line.participantId).values()) {
    expect(own.map((line) => line.sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  }
});

it('calls a rail no more often at the same time than it may, and all rails together no more either', async () => {
  const prefix = prefixOf('cap');
  await bench.rail.tell({ instructionPrefix: prefix, failure: 'slow', delayMs: 50 });
  const calls: Record<string, number> = {};
  const most: Record<string, number> = {};
  const count = (name: string, by: number) => {
    calls[name] = (calls[name] ?? 0) + by;
    most[name] = Math.max(most[name] ?? 0, calls[name]);
  };
  const counted = (rail: Rail): Rail => ({
    ...rail,
    async send(order, signal) {
      [rail.name, 'all'].forEach((name) => count(name, 1));
      const answer = await rail.send(order, signal);
      [rail.name, 'all'].forEach((name) => count(name, -1));
      return answer;
    },
  });
  const usd = {
    destination: { routingNumber: '021000021', accountNumber: '1' },
    amount: { minorUnits: 1, currency: 'USD' },
  };
  const entries = Array.from({ length: 36 }, (_, n) => {
    const rail = (['SEPA', 'ACH', 'RTP'] as const)[n % 3];
    const change = rail === 'SEPA' ? {} : { ...usd, rail };
    return instructionEntry(
      contextFor(`${testName}-cap-${n}`, { ...change, participantId: `${testName}-c${n}` }),
    );
  });
  await bench.outbox.enqueue(bench.pool, entries);
  await bench.startRelay({
    railOf: counted,
    concurrency: 6,
    concurrencyByRailType: { SEPA: 2, ACH: 3, RTP: 4 },
  });
  await eventually('all are executed', async () => (await bench.rail.ledger(prefix)).length === 36);
  expect(most['all']).toBe(6);
  expect(most['SEPA']).toBeLessThanOrEqual(2);
  expect(most['ACH']).toBeLessThanOrEqual(3);
  expect(most['RTP']).toBeLessThanOrEqual(4);
});

it('executes once what is submitted before, during and after its execution, and refuses the same key for something else', async () => {
  const prefix = prefixOf('again');
  await bench.rail.tell({ instructionPrefix: prefix, failure: 'slow', delayMs: 300 });
  const own = { participantId: `${testName}-repeats` };
  const changed = { ...own, amount: { minorUnits: 1, currency: 'EUR' } };
  const submitAgain = async () => {
    expect(await bench.order('again', own)).toBe(instructionId);
    await expect(bench.order('again', changed)).rejects.toBeInstanceOf(OutboxConflictError);
  };
  const instructionId = await bench.order('again', own);
  await submitAgain();
  await bench.startRelay();
  await bench.reaches(instructionId, 'IN_FLIGHT');
  await submitAgain();
  await bench.reaches(instructionId, 'DISPATCHED');
  await submitAgain();
  const followed = await bench.order('again-next', own);
  await bench.reaches(followed, 'DISPATCHED');
  const lines = await bench.rail.ledger(prefix);
  expect(lines.map((line) => [line.instructionId, line.sequence])).toEqual([
    [instructionId, 1],
    [followed, 2],
  ]);
});
