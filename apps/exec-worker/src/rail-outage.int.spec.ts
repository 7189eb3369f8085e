import { rails } from '@sluice/payments';
import { instructionEntry } from './outbox-entries.js';
import { contextFor } from './testing/contexts.js';
import { eventually } from './testing/eventually.js';
import { createRailBench } from './testing/rail-bench.js';
import type { RailBench } from './testing/rail-bench.js';

const testName = process.env['TEST_NAME'] ?? 'alone';
// An outage is long when many leases run out in it and the circuit opens again and again; seconds do for that.
const leaseSeconds = 1;
const policy = { failures: 3, openMs: 200, maxOpenMs: 500, probes: 2 };
const participants = 4;
const each = 5;

let bench: RailBench;

beforeEach(() => {
  bench = createRailBench(process.env);
});
afterEach(() => bench.close());

async function enqueue(name: string): Promise<string[]> {
  const entries = Array.from({ length: participants * each }, (_, n) =>
    instructionEntry(
      contextFor(`${testName}-${name}-${n}`, { participantId: `${testName}-${name}-p${n % participants}` }),
    ),
  );
  await bench.outbox.enqueue(bench.pool, entries);
  return entries.map((entry) => entry.instructionId);
}

async function expectOrder(prefix: string): Promise<void> {
  const lines = await bench.rail.ledger(prefix);
  expect(lines).toHaveLength(participants * each);
  for (const own of Map.groupBy(lines, (line) => line.participantId).values()) {
    expect(own.map((line) => line.sequence)).toEqual([1, 2, 3, 4, 5]);
  }
}

it('costs no instruction an attempt, however many leases and probes it lasts', async () => {
  const prefix = `ins-${testName}-out`;
  await bench.rail.tell({ instructionPrefix: prefix, failure: 'outage' });
  const board = await bench.startRelay({ leaseSeconds, policy, maxAttempts: 3 });
  const ids = await enqueue('out');
  await eventually('the circuit is open', () => board.view('SEPA').circuit.state === 'OPEN');
  const openedAt = performance.now();
  await eventually('several leases have passed', () => performance.now() - openedAt > 4_000 * leaseSeconds);
  expect(board.view('SEPA').circuit.state).not.toBe('CLOSED');
  expect(board.view('ACH').circuit.state).toBe('CLOSED');
  expect(await bench.outbox.reap({ railTypes: rails, limit: 100 })).toBe(0);

  await bench.rail.tell();
  for (const instructionId of ids) {
    const { attempts } = await bench.reaches(instructionId, 'DISPATCHED');
    expect(attempts.at(-1)).toMatchObject({ state: 'DISPATCHED', attemptNo: 1 });
  }
  await expectOrder(prefix);
  expect(board.view('SEPA').circuit.state).toBe('CLOSED');
});

it('keeps the other rails going', async () => {
  const usd = {
    rail: 'ACH',
    destination: { routingNumber: '021000021', accountNumber: '1' },
    amount: { minorUnits: 100, currency: 'USD' },
  };
  await bench.rail.tell({ instructionPrefix: `ins-${testName}-apart`, failure: 'outage' });
  const board = await bench.startRelay({ policy });
  await enqueue('apart');
  await eventually('the circuit is open', () => board.view('SEPA').circuit.state === 'OPEN');
  const other = await bench.order('other-rail', { ...usd, participantId: `${testName}-us` });
  await bench.reaches(other, 'DISPATCHED');
});

it('in which the rail executes and does not answer is asked about, and nothing is paid twice', async () => {
  const prefix = `ins-${testName}-mute`;
  await bench.rail.tell(
    { instructionPrefix: prefix, failure: 'silent', executes: true, times: 1 },
    { instructionPrefix: prefix, failure: 'outage' },
  );
  const board = await bench.startRelay({ leaseSeconds, policy });
  const ids = await enqueue('mute');
  await eventually('the circuit is open', () => board.view('SEPA').circuit.state === 'OPEN');
  await bench.rail.tell();
  for (const instructionId of ids) {
    const { attempts } = await bench.reaches(instructionId, 'DISPATCHED');
    // The send that was not answered, and the question that was.
    expect(attempts.at(-1)?.attemptNo).toBeLessThanOrEqual(2);
  }
  await expectOrder(prefix);
});

it('is over for an operator who closes the circuit, and lasts for one who opens it', async () => {
  const board = await bench.startRelay({ policy });
  await board.setMode({ rail: 'SEPA', mode: 'OPEN', reason: 'the bank asked for it', by: 'ops' });
  const ids = await enqueue('stopped');
  const started = performance.now();
  await eventually('there was time to send', () => performance.now() - started > 1_000);
  expect(await bench.rail.ledger(`ins-${testName}-stopped`)).toEqual([]);
  expect(await bench.outbox.findInstruction(ids[0] ?? '')).toMatchObject({ state: 'PENDING', attempts: [] });

  const another = await bench.startRelay({ policy });
  expect(another.view('SEPA')).toMatchObject({ circuit: { state: 'OPEN', mode: 'OPEN' } });
  await another.setMode({ rail: 'SEPA', mode: 'AUTO', reason: 'they are done', by: 'ops' });
  await board.refresh();
  expect(board.view('SEPA')).toMatchObject({
    circuit: { mode: 'AUTO' },
    setting: { reason: 'they are done' },
  });
  for (const instructionId of ids) await bench.reaches(instructionId, 'DISPATCHED');
  await expectOrder(`ins-${testName}-stopped`);
});
