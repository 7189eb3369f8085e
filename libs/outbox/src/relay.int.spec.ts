import { Pool } from 'pg';
import { createPgOutbox } from './adapters/pg-outbox.js';
import type { PgOutbox } from './adapters/pg-outbox.js';
import { createPgOutboxListener } from './adapters/pg-listener.js';
import { createRelay } from './relay.js';
import type { RelayOptions } from './relay-options.js';
import type { Destination, SendResult } from './destination.js';
import type { ClaimRequest, Instruction, Outcome, Settlement } from './ports.js';
import { eventually } from './testing/eventually.js';
import { corner } from './testing/harness.js';
import type { Corner } from './testing/harness.js';

let pool: Pool;
let outbox: PgOutbox;
let stop: AbortController;
let running: Promise<void>[];

beforeEach(() => {
  pool = new Pool({ connectionString: process.env['PG_URL'], max: 12 });
  outbox = createPgOutbox(pool);
  stop = new AbortController();
  running = [];
});

afterEach(async () => {
  stop.abort();
  await Promise.all(running);
  await pool.end();
});

function place(): Corner {
  const transaction = async <T>(work: (db: Pool) => Promise<T>): Promise<T> => work(pool);
  return corner(() => ({ outbox, transaction, close: () => pool.end() }));
}

/** Executes what it is told to, and remembers every call. */
class Recorder implements Destination {
  readonly recognisesKeys: boolean = true;
  readonly sends: Instruction[] = [];
  readonly questions: Instruction[] = [];
  readonly executed = new Set<string>();
  repetitions = 0;
  readonly decide: (instruction: Instruction, recorder: Recorder) => Promise<SendResult> | SendResult;
  readonly status: NonNullable<Destination['status']>;

  constructor(decide: Recorder['decide'] = (one, self) => self.execute(one)) {
    this.decide = decide;
    this.status = (instruction) => {
      this.questions.push(instruction);
      return Promise.resolve(
        this.executed.has(instruction.idempotencyKey) ? { kind: 'executed' } : { kind: 'notExecuted' },
      );
    };
  }

  execute(instruction: Instruction): SendResult {
    this.executed.add(instruction.idempotencyKey);
    return { kind: 'executed', reference: `R-${instruction.instructionId}` };
  }

  async send(instruction: Instruction): Promise<SendResult> {
    this.sends.push(instruction);
    if (this.executed.has(instruction.idempotencyKey)) this.repetitions += 1;
    return this.decide(instruction, this);
  }
}

function start(here: Corner, destination: Destination, change: Partial<RelayOptions> = {}) {
  const relay = createRelay({
    name: 'test',
    store: outbox,
    destinations: { [here.railType]: destination },
    pollIntervalMs: 20,
    backoff: { initialMs: 1, capMs: 20 },
    ...change,
  });
  running.push(relay.run(stop.signal, () => undefined));
  return relay;
}

async function stateOf(instructionId: string): Promise<string | undefined> {
  return (await outbox.findInstruction(instructionId))?.state;
}

const down: SendResult = { kind: 'retryable', code: 'DOWN', message: 'not now' };
const silent: SendResult = { kind: 'unknown', code: 'NO_ANSWER', message: 'cut off' };

it('sends everything once and in order with three relays, though every third send fails', async () => {
  const here = place();
  let calls = 0;
  const rail = new Recorder((one, self) => {
    calls += 1;
    if (calls % 3 === 1) return down;
    if (calls % 3 === 2) {
      self.execute(one);
      return silent;
    }
    return self.execute(one);
  });
  for (let n = 0; n < 3; n += 1) start(here, rail, { concurrency: 5 });
  const produce = (round: number) =>
    here.enqueue(...Array.from({ length: 20 }, (_, p) => here.entry(`p${p}`, `${p}-${round}`)));
  await Promise.all(Array.from({ length: 10 }, (_, round) => produce(round)));

  await eventually('all 200 are executed', () => rail.executed.size === 200);
  await eventually('nothing waits or flies', async () => {
    const { pending, inFlight } = await outbox.depth([here.railType]);
    return pending + inFlight === 0;
  });
  const firstSends = rail.sends.filter((one) => one.attemptNo === 1);
  for (const sends of Map.groupBy(firstSends, (one) => one.participantId).values()) {
    expect(sends.map((one) => one.sequenceId)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  }
  expect(rail.repetitions).toBe(0);
  expect(rail.questions.length).toBeGreaterThan(0);
}, 60_000);

it('asks before it sends again when the outcome is unknown, and does not send what was executed', async () => {
  const here = place();
  const rail = new Recorder((one, self) => {
    self.execute(one);
    throw new Error('socket hang up');
  });
  start(here, rail);
  const entry = here.entry('p', 'a');
  await here.enqueue(entry);
  await eventually('it is dispatched', async () => (await stateOf(entry.instructionId)) === 'DISPATCHED');
  expect(rail.sends).toHaveLength(1);
  expect(rail.questions).toHaveLength(1);
});

it('sends again when the destination surely knows nothing of it', async () => {
  const here = place();
  const rail = new Recorder((one, self) => (one.attemptNo === 1 ? silent : self.execute(one)));
  start(here, rail);
  const entry = here.entry('p', 'a');
  await here.enqueue(entry);
  await eventually('it is dispatched', async () => (await stateOf(entry.instructionId)) === 'DISPATCHED');
  expect(rail.sends.map((one) => one.idempotencyKey)).toEqual([entry.idempotencyKey, entry.idempotencyKey]);
  expect(rail.questions).toHaveLength(1);
});

it('leaves an unknown outcome to an operator when the destination has neither keys nor answers', async () => {
  const here = place();
  const sends: string[] = [];
  const blind: Destination = {
    recognisesKeys: false,
    send: (one) => {
      sends.push(one.instructionId);
      return Promise.resolve(silent);
    },
  };
  start(here, blind);
  const first = here.entry('p', 'a');
  await here.enqueue(first, here.entry('p', 'b'));
  await eventually('it is in doubt', async () => (await stateOf(first.instructionId)) === 'IN_DOUBT');
  expect(sends).toEqual([first.instructionId]);
});

it('makes a dead letter of what fails too often, and goes on', async () => {
  const here = place();
  const rail = new Recorder((one, self) => (one.sequenceId === 1 ? down : self.execute(one)));
  start(here, rail, { maxAttempts: 3 });
  const [first, second] = [here.entry('p', 'a'), here.entry('p', 'b')];
  await here.enqueue(first, second);
  await eventually(
    'the second is dispatched',
    async () => (await stateOf(second.instructionId)) === 'DISPATCHED',
  );
  expect(await stateOf(first.instructionId)).toBe('FAILED');
  expect(rail.sends.map((one) => one.sequenceId)).toEqual([1, 1, 1, 2]);
});

it('claims no more than it has free slots, and finishes what is in flight when it is told to stop', async () => {
  const here = place();
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const rail = new Recorder(async (one, self) => {
    await gate;
    return self.execute(one);
  });
  start(here, rail, { concurrency: 2 });
  await here.enqueue(...[1, 2, 3, 4, 5].map((n) => here.entry(`p${n}`, `a${n}`)));
  await eventually('both slots are taken', () => rail.sends.length === 2);
  expect(await outbox.depth([here.railType])).toMatchObject({ pending: 3, inFlight: 2 });

  stop.abort();
  release();
  await Promise.all(running);
  expect(await outbox.depth([here.railType])).toMatchObject({ pending: 3, inFlight: 0 });
});

it('keeps the lease of a slow call alive', async () => {
  const here = place();
  let renewals = 0;
  const store = {
    ...outbox,
    renew: async (...args: Parameters<typeof outbox.renew>) => {
      const held = await outbox.renew(...args);
      renewals += held.length;
      return held;
    },
  };
  const rail = new Recorder(async (one, self) => {
    await eventually('the lease outlived its first span', () => renewals >= 4);
    expect(await outbox.reap({ railTypes: [here.railType], limit: 10 })).toBe(0);
    return self.execute(one);
  });
  start(here, rail, { leaseSeconds: 1, store });
  const entry = here.entry('p', 'a');
  await here.enqueue(entry);
  await eventually('it is dispatched', async () => (await stateOf(entry.instructionId)) === 'DISPATCHED');
  expect(rail.sends).toHaveLength(1);
});

it('records the result of a relay that lost its lease as late, while the next relay asks and does not send', async () => {
  const here = place();
  const results: { kind: Outcome['kind']; late: boolean }[] = [];
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const rail = new Recorder(async (one, self) => {
    self.execute(one);
    await gate;
    return silent;
  });
  start(here, rail, {
    observer: { settled: (_claim, outcome, { late }) => results.push({ kind: outcome.kind, late }) },
  });
  const entry = here.entry('p', 'a');
  await here.enqueue(entry);
  await eventually('the send is under way', () => rail.executed.size === 1);
  await pool.query(
    `UPDATE participant_outbox_lanes SET lease_until = now() - INTERVAL '1 second' WHERE rail_type = $1`,
    [here.railType],
  );
  expect(await outbox.reap({ railTypes: [here.railType], limit: 10 })).toBe(1);
  await eventually('it is dispatched', async () => (await stateOf(entry.instructionId)) === 'DISPATCHED');
  release();
  await eventually('both results are on record', () => results.length === 2);
  expect(results).toEqual([
    { kind: 'executed', late: false },
    { kind: 'retryLater', late: true },
  ]);
  expect(rail.sends).toHaveLength(1);
});

it('goes on after the database refused it', async () => {
  const here = place();
  let refusals = 0;
  const refuseFirst = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
    let refused = false;
    return async (...args: A): Promise<R> => {
      if (refused) return call(...args);
      refused = true;
      throw new Error('the database is away');
    };
  };
  const store = {
    ...outbox,
    claim: refuseFirst((r: ClaimRequest) => outbox.claim(r)),
    settle: refuseFirst((s: readonly Settlement[]) => outbox.settle(s)),
  };
  start(here, new Recorder(), { store, observer: { failed: () => (refusals += 1) } });
  const entry = here.entry('p', 'a');
  await here.enqueue(entry);
  await eventually('it is dispatched', async () => (await stateOf(entry.instructionId)) === 'DISPATCHED');
  expect(refusals).toBe(2);
});

describe('hints', () => {
  const applicationName = `listener-${process.env['TEST_NAME'] ?? 'alone'}`;

  it('wake a relay long before its next poll, also after the listening connection was cut', async () => {
    const here = place();
    const rail = new Recorder();
    let wakeups = 0;
    const relay = start(here, rail, { pollIntervalMs: 600_000 });
    const listener = createPgOutboxListener({
      url: process.env['PG_URL'] ?? '',
      applicationName,
      onWake: () => {
        wakeups += 1;
        relay.wake();
      },
      random: () => 0,
    });
    running.push(listener.run(stop.signal, () => undefined));
    await eventually('it listens', () => wakeups === 1);

    await here.enqueue(here.entry('p', 'a'));
    outbox.announce();
    await eventually('the hint came', () => rail.executed.size === 1);

    const before = wakeups;
    await pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
      applicationName,
    ]);
    await eventually('it listens again', () => wakeups > before);
    await here.enqueue(here.entry('p', 'b'));
    outbox.announce();
    await eventually('the second hint came', () => rail.executed.size === 2);
  });

  it('are not needed: polling alone finds the work', async () => {
    const here = place();
    const rail = new Recorder();
    start(here, rail, { pollIntervalMs: 20 });
    await here.enqueue(here.entry('p', 'a'));
    await eventually('polling found it', () => rail.executed.size === 1);
  });
});
