// Proof that the ledger catches what it is there to catch: each of these ways to a rail is wrong on purpose.
import type { Rail } from './rails/rail.js';
import { eventually } from './testing/eventually.js';
import { createRailBench } from './testing/rail-bench.js';
import type { RailBench } from './testing/rail-bench.js';

const testName = process.env['TEST_NAME'] ?? 'alone';
let bench: RailBench;

beforeEach(() => {
  bench = createRailBench(process.env);
});
afterEach(() => bench.close());

/** Executed by the rail, which then does not answer. How often is it executed until the outbox believes it is done? */
async function executions(name: string, railOf: (rail: Rail) => Rail): Promise<number> {
  const prefix = `ins-${testName}-${name}`;
  await bench.rail.tell({ instructionPrefix: prefix, failure: 'silent', executes: true, times: 1 });
  await bench.startRelay({ railOf });
  const instructionId = await bench.order(name, { participantId: `${testName}-${name}` });
  await eventually('the instruction came to an end', async () => {
    const state = (await bench.outbox.findInstruction(instructionId))?.state;
    return state === 'DISPATCHED' || state === 'IN_DOUBT' || state === 'FAILED';
  });
  await bench.stopRelays();
  return (await bench.rail.ledger(instructionId)).length;
}

/** The simulator has rails that know neither keys nor status queries; this sends there what is meant for SEPA. */
function withoutKeys(rail: Rail, capabilities: Partial<Rail['capabilities']>): Rail {
  return {
    name: rail.name,
    capabilities: { ...rail.capabilities, ...capabilities },
    async send({ body }, signal) {
      const url = `${bench.rail.url}/rails/KEYLESS-${rail.name}/instructions`;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(1_000)]);
      try {
        const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), signal: limit });
        const { status = '' } = (await answer.json()) as { status?: string };
        return { httpStatus: answer.status, word: status };
      } catch {
        return { failure: 'RAIL_TIMEOUT' };
      }
    },
  };
}

it('the way we have executes once', async () => {
  expect(await executions('right', (rail) => rail)).toBe(1);
});

it('no key for the rail, while the rail is said to recognise keys, is caught: executed twice', async () => {
  const noKey = (rail: Rail) => withoutKeys(rail, { recognisesKeys: true, answersStatus: false });
  expect(await executions('no-key', noKey)).toBe(2);
});

it('a key for each attempt is caught: executed twice, though the rail is asked in between', async () => {
  let attempt = 0;
  const keyPerAttempt = (rail: Rail): Rail => ({
    ...rail,
    send: (order, signal) => rail.send({ ...order, key: `${order.key}-${(attempt += 1)}` }, signal),
  });
  expect(await executions('key-per-attempt', keyPerAttempt)).toBe(2);
});

it('a rail that truly has neither keys nor status queries is asked of nobody and sent to once: IN_DOUBT', async () => {
  const honest = (rail: Rail) => withoutKeys(rail, { recognisesKeys: false, answersStatus: false });
  expect(await executions('honest', honest)).toBe(1);
  expect((await bench.outbox.findInstruction(`ins-${testName}-honest`))?.state).toBe('IN_DOUBT');
  expect(await bench.outbox.findParticipant(`${testName}-honest`)).toMatchObject({ state: 'HELD' });
});
