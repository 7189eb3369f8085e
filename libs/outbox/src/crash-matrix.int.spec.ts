import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { createPgOutbox } from './adapters/pg-outbox.js';
import { expectAuditToTell, expectInOrderAndOnce } from './testing/crash/check.js';
import { steps } from './testing/crash/failpoint.js';
import type { Plan } from './testing/crash/failpoint.js';
import { openLedger } from './testing/crash/ledger.js';
import type { Ledger } from './testing/crash/ledger.js';
import { startProcess } from './testing/crash/start-process.js';
import { corner, refused } from './testing/harness.js';

const leaseSeconds = 1;
const atOnce = 4;
const databaseUrl = process.env['PG_URL'] ?? '';

const plans: readonly Plan[] = steps.flatMap((step) =>
  (['before', 'after'] as const).flatMap((side) =>
    (['throw', 'kill', 'stall', 'cut'] as const).map((failure): Plan => ({ step, side, failure })),
  ),
);

interface Ending {
  readonly ledger: Ledger;
  readonly expected: ReadonlyMap<string, number>;
  readonly instructionIds: readonly string[];
}

let pool: Pool;
const endings = new Map<Plan, Promise<Ending>>();

/** A dead letter, a run that a relay took along when it died, and a producer with more: then the planned failure. */
async function play(plan: Plan): Promise<Ending> {
  const outbox = createPgOutbox(pool);
  const here = corner(() => ({ outbox, transaction: (work) => work(pool), close: () => pool.end() }));
  const ledger = await openLedger();
  const dead = here.entry('r', 'dead');
  const lost = [here.entry('z', 'lost-1'), here.entry('z', 'lost-2')];
  await here.enqueue(dead);
  await here.settle(await here.claimOne(), refused);
  await here.enqueue(...lost);
  await here.claim({
    leaseSeconds: 0,
    limits: { [here.railType]: { participants: 9, runLength: 3 } },
    token: randomUUID(),
  });
  const entries = [
    ...['p-1', 'p-2', 'p-3', 'p-4'].map((name) => here.entry('p', name)),
    ...['silent-1', 'q-2'].map((name) => here.entry('q', name)),
  ];
  const { railType } = here;
  const order = {
    kind: 'life',
    databaseUrl,
    ledgerUrl: ledger.url,
    railType,
    leaseSeconds,
    entries,
  } as const;
  const deadLetter = dead.instructionId;

  const failing = startProcess({ ...order, deadLetter, plan });
  await failing.told;
  if (plan.failure === 'kill') expect(await failing.ended).toBe('SIGKILL');
  if (plan.failure === 'kill' || plan.failure === 'stall') {
    expect(await startProcess({ ...order, deadLetter }).ended).toBe(0);
  }
  if (plan.failure !== 'kill') expect(await failing.ended).toBe(0);
  const participants = [
    ['p', 4],
    ['q', 2],
    ['r', 1],
    ['z', 2],
  ] as const;
  return {
    ledger,
    expected: new Map(participants.map(([name, count]) => [here.participant(name), count])),
    instructionIds: [dead, ...lost, ...entries].map((entry) => entry.instructionId),
  };
}

beforeAll(() => {
  pool = new Pool({ connectionString: databaseUrl, max: 2 * atOnce });
  const waiting = [...plans];
  const done = new Map(plans.map((plan) => [plan, Promise.withResolvers<Ending>()]));
  for (const [plan, { promise }] of done) {
    promise.catch(() => undefined);
    endings.set(plan, promise);
  }
  const work = async (): Promise<void> => {
    for (let plan = waiting.shift(); plan; plan = waiting.shift()) {
      const { resolve, reject } = done.get(plan) ?? Promise.withResolvers<Ending>();
      await play(plan).then(resolve, reject);
    }
  };
  for (let n = 0; n < atOnce; n += 1) void work();
});

afterAll(() => pool.end());

describe.each(steps)('at %s', (step) => {
  it.each(plans.filter((plan) => plan.step === step))(
    '$failure $side it: executed once and in order, and the archive tells the truth',
    async (plan) => {
      const { ledger, expected, instructionIds } = (await endings.get(plan)) as Ending;
      await ledger.close();
      expectInOrderAndOnce(ledger, expected);
      await expectAuditToTell(createPgOutbox(pool), instructionIds);
      // When a process stalls, what it had on the way to the destination for each participant may arrive after the others took
      // over: one repeated send a participant, which the key absorbs. Nothing else may ever repeat a send.
      expect(ledger.repeats.length).toBeLessThanOrEqual(plan.failure === 'stall' ? expected.size : 0);
    },
    120_000,
  );
});
