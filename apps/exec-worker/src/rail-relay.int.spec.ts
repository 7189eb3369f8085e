import { createRelay } from '@sluice/outbox';
import type { AttemptState, InstructionState, Relay } from '@sluice/outbox';
import { rails } from '@sluice/payments';
import { httpRail } from './adapters/http-rail.js';
import type { HttpRail } from './adapters/http-rail.js';
import { instructionEntry } from './outbox-entries.js';
import { createBench } from './testing/bench.js';
import type { Bench } from './testing/bench.js';
import { contextFor } from './testing/contexts.js';
import { eventually } from './testing/eventually.js';

const railUrl = process.env['RAIL_URL'] ?? '';
const testName = process.env['TEST_NAME'] ?? 'alone';
const timeoutMs = 1_000;

let bench: Bench;
let rail: HttpRail;
let stop: AbortController;
let running: Promise<void>[];

beforeEach(() => {
  bench = createBench(process.env['PG_URL'] ?? '');
  rail = httpRail({ url: railUrl, timeoutMs, connections: 8 });
  stop = new AbortController();
  running = [];
});

afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await rail.close();
  await bench.close();
  await fetch(`${railUrl}/control/rules?scope=${testName}`, { method: 'DELETE' });
});

function startRelay(): Relay {
  const relay = createRelay({
    name: 'rail-relay',
    store: bench.outbox,
    destinations: Object.fromEntries(rails.map((railType) => [railType, rail.destination])),
    concurrency: 8,
    pollIntervalMs: 20,
    callTimeoutMs: timeoutMs + 1_000,
    backoff: { initialMs: 5, capMs: 50 },
  });
  running.push(relay.run(stop.signal, () => undefined));
  return relay;
}

async function tellRail(...rules: Record<string, unknown>[]): Promise<void> {
  const answer = await fetch(`${railUrl}/control/rules?scope=${testName}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rules),
  });
  expect(answer.status).toBe(200);
}

interface LedgerLine {
  instructionId: string;
  idempotencyKey: string;
  participantId: string;
  sequence: number;
  minorUnits: number;
}

async function ledger(instructionPrefix: string): Promise<LedgerLine[]> {
  const answer = await fetch(`${railUrl}/ledger?instructionPrefix=${instructionPrefix}`);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as LedgerLine);
}

async function pay(name: string, change: Record<string, unknown> = {}): Promise<string> {
  const entry = instructionEntry(
    contextFor(`${testName}-${name}`, { participantId: `${testName}-acme`, ...change }),
  );
  await bench.outbox.enqueue(bench.pool, [entry]);
  return entry.instructionId;
}

async function reaches(instructionId: string, state: InstructionState): Promise<AttemptState[]> {
  await eventually(`${instructionId} is ${state}`, async () => {
    return (await bench.outbox.findInstruction(instructionId))?.state === state;
  });
  const found = await bench.outbox.findInstruction(instructionId);
  return found?.attempts.map((attempt) => attempt.state) ?? [];
}

it('has an instruction executed once, with its reference on record', async () => {
  startRelay();
  const instructionId = await pay('plain');
  expect(await reaches(instructionId, 'DISPATCHED')).toEqual(['DISPATCHING', 'DISPATCHED']);
  expect(await ledger(instructionId)).toMatchObject([
    { idempotencyKey: instructionId, sequence: 1, minorUnits: 1250 },
  ]);
  const found = await bench.outbox.findInstruction(instructionId);
  expect(found?.attempts.at(-1)).toMatchObject({
    reference: expect.stringMatching(/^SEPA-/) as string,
    code: 'EXECUTED',
  });
});

it('tries again after 503, without asking, since nothing was executed', async () => {
  await tellRail({ instructionPrefix: `ins-${testName}-down`, failure: 'before', times: 2 });
  startRelay();
  const instructionId = await pay('down');
  expect(await reaches(instructionId, 'DISPATCHED')).toEqual([
    'DISPATCHING',
    'RETRYABLE',
    'DISPATCHING',
    'RETRYABLE',
    'DISPATCHING',
    'DISPATCHED',
  ]);
  expect(await ledger(instructionId)).toHaveLength(1);
});

it('asks after a connection that was dropped, and does not pay twice', async () => {
  await tellRail({ instructionPrefix: `ins-${testName}-dropped`, failure: 'after', times: 1 });
  startRelay();
  const instructionId = await pay('dropped');
  expect(await reaches(instructionId, 'DISPATCHED')).toEqual([
    'DISPATCHING',
    'RETRYABLE',
    'DISPATCHING',
    'DISPATCHED',
  ]);
  expect(await ledger(instructionId)).toHaveLength(1);
});

it.each([
  ['executed', true],
  ['did not execute', false],
])('asks after an answer that never came, from a rail that %s', async (_case, executes) => {
  const name = `silent-${executes}`;
  await tellRail({ instructionPrefix: `ins-${testName}-${name}`, failure: 'silent', executes, times: 1 });
  startRelay();
  const instructionId = await pay(name);
  await reaches(instructionId, 'DISPATCHED');
  const found = await bench.outbox.findInstruction(instructionId);
  expect(found?.attempts[1]).toMatchObject({ state: 'RETRYABLE', errorCode: 'RAIL_TIMEOUT' });
  expect(await ledger(instructionId)).toHaveLength(1);
});

it('does not pay again what a dead relay had paid', async () => {
  await tellRail({ instructionPrefix: `ins-${testName}-dead`, failure: 'silent', executes: true, times: 1 });
  const instructionId = await pay('dead');
  const [claim] = await bench.outbox.claim({
    railTypes: ['SEPA'],
    limit: 1,
    leaseSeconds: 0,
    token: '018f0000-0000-7000-8000-000000000001',
  });
  if (!claim) throw new Error('nothing was claimed');
  await rail.destination.send(claim, AbortSignal.timeout(500));
  expect(await bench.outbox.reap({ railTypes: rails, limit: 10 })).toBe(1);

  startRelay();
  expect(await reaches(instructionId, 'DISPATCHED')).toEqual([
    'DISPATCHING',
    'ZOMBIE_REQUEUE',
    'DISPATCHING',
    'DISPATCHED',
  ]);
  expect(await ledger(instructionId)).toHaveLength(1);
});

it('makes a dead letter of what the rail refuses and pays the next one', async () => {
  await tellRail({ instructionPrefix: `ins-${testName}-closed`, failure: 'reject', code: 'ACCOUNT_CLOSED' });
  startRelay();
  const refused = await pay('closed');
  const next = await pay('open');
  expect(await reaches(refused, 'FAILED')).toEqual(['DISPATCHING', 'FAILED']);
  await reaches(next, 'DISPATCHED');
  expect(await ledger(refused)).toEqual([]);
});

it('keeps the order of every participant through outages and dropped answers, with three relays', async () => {
  const prefix = `ins-${testName}-order`;
  await tellRail(
    { instructionPrefix: prefix, every: 4, offset: 0, failure: 'after', times: 1 },
    { instructionPrefix: prefix, every: 4, offset: 1, failure: 'before', times: 2 },
  );
  for (let n = 0; n < 3; n += 1) startRelay();
  const entries = Array.from({ length: 60 }, (_, n) =>
    instructionEntry(contextFor(`${testName}-order-${n}`, { participantId: `${testName}-p${n % 6}` })),
  );
  await bench.outbox.enqueue(bench.pool, entries);
  await eventually('all are executed', async () => (await ledger(prefix)).length >= 60);
  const lines = await ledger(prefix);
  expect(new Set(lines.map((line) => line.instructionId)).size).toBe(60);
  expect(lines).toHaveLength(60);
  for (const own of Map.groupBy(lines, (line) => line.participantId).values()) {
    expect(own.map((line) => line.sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  }
});

it('waits for a rail that cannot be reached', async () => {
  const lost = httpRail({ url: 'http://127.0.0.1:1', timeoutMs, connections: 1 });
  const entry = instructionEntry(contextFor('nowhere'));
  const instruction = { ...entry, outboxId: 'o', sequenceId: 1, attemptNo: 1, enqueuedAt: new Date() };
  const signal = AbortSignal.timeout(5_000);
  expect(await lost.destination.send(instruction, signal)).toMatchObject({
    kind: 'retryable',
    code: 'ECONNREFUSED',
  });
  expect(await lost.destination.status?.(instruction, signal)).toMatchObject({
    kind: 'unknown',
    code: 'ECONNREFUSED',
  });
  await lost.close();
});
