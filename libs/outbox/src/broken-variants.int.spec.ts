import { Pool } from 'pg';
import { createPgOutbox } from './adapters/pg-outbox.js';
import { corner, executed, later } from './testing/harness.js';
import type { Corner } from './testing/harness.js';

// The tests of order and once-only are only worth something if they fail when the store is broken. Each variant here breaks it in
// one known way, and the scenario beside it has to notice; on the store as it is, the same scenario finds nothing.

let pool: Pool;
const outbox = () => createPgOutbox(pool);
const place = (): Corner =>
  corner(() => ({ outbox: outbox(), transaction: (work) => work(pool), close: () => pool.end() }));

beforeAll(() => {
  pool = new Pool({ connectionString: process.env['PG_URL'], max: 5 });
});
afterAll(() => pool.end());

type Scenario = () => Promise<readonly string[]>;

interface Variant {
  readonly name: string;
  /** statements that break the store; a function's text is changed by what is found in it and what it becomes */
  readonly breaks: readonly (string | { readonly of: string; readonly from: string; readonly to: string })[];
  readonly scenario: Scenario;
}

async function definitionOf(name: string): Promise<string> {
  const { rows } = await pool.query<{ text: string }>(
    'SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE proname = $1',
    [name],
  );
  return rows[0]?.text ?? '';
}

/** Breaks, plays, and mends again whatever happens. */
async function playOn({ breaks, scenario }: Variant): Promise<readonly string[]> {
  const originals: string[] = [];
  try {
    for (const change of breaks) {
      if (typeof change === 'string') {
        await pool.query(change);
        continue;
      }
      const text = await definitionOf(change.of);
      if (!text.includes(change.from)) throw new Error(`${change.of} has no such text: ${change.from}`);
      originals.push(text);
      await pool.query(text.replaceAll(change.from, change.to));
    }
    return await scenario();
  } finally {
    for (const original of originals.reverse()) await pool.query(original);
  }
}

const withoutWall =
  'ALTER TABLE payment_outbox_inflight DROP CONSTRAINT IF EXISTS inflight_under_the_lanes_token';

/** A relay loses its lease, another takes over, and then the first one reports. */
async function reportsLate(): Promise<readonly string[]> {
  const here = place();
  await here.enqueue(here.entry('p', 'a'), here.entry('p', 'b'));
  const slow = await here.claimOne({ leaseSeconds: 0 });
  await outbox().reap({ railTypes: [here.railType], limit: 10 });
  await here.claimOne();
  const settled = await here.settle(slow, later(0));
  const taken = await here.claim();
  return [
    ...(settled.kind === 'late' ? [] : ['the result of a relay without a lease was taken']),
    ...(taken.length === 0 ? [] : ['an instruction was claimed while another relay was sending it']),
  ];
}

async function reportsAfterReap(): Promise<readonly string[]> {
  const here = place();
  await here.enqueue(here.entry('p', 'a'), here.entry('p', 'b'));
  const slow = await here.claimOne({ leaseSeconds: 0 });
  await outbox().reap({ railTypes: [here.railType], limit: 10 });
  const settled = await here.settle(slow, executed);
  return settled.kind === 'late' ? [] : ['the result of a relay without a lease was taken'];
}

async function submitsTwice(): Promise<readonly string[]> {
  const here = place();
  const ledger: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    await here.enqueue(here.entry('p', 'a'));
    for (const claim of await here.claim()) {
      ledger.push(claim.instructionId);
      await here.settle(claim, executed);
    }
  }
  return ledger.length === 1 ? [] : [`executed ${ledger.length} times`];
}

async function twoRelaysOneParticipant(): Promise<readonly string[]> {
  const here = place();
  await here.enqueue(here.entry('p', 'a'), here.entry('p', 'b'), here.entry('p', 'c'));
  const first = await here.claim({ limit: 1 });
  const second = await here.claim({ limit: 1 });
  const ledger = [...second, ...first].map((claim) => claim.sequenceId);
  return ledger.every((sequence, n) => sequence === n + 1) ? [] : [`executed in the order ${ledger.join()}`];
}

const variants: readonly Variant[] = [
  {
    name: 'an outcome without its token',
    breaks: [{ of: 'payment_outbox_settle', from: 'AND i.claim_token = r.token', to: '' }],
    scenario: reportsLate,
  },
  {
    name: 'duplicates known only while they are pending',
    breaks: [
      {
        of: 'payment_outbox_enqueue',
        from: 'BEGIN\n',
        to: `BEGIN
          DELETE FROM payment_outbox_keys k WHERE k.instruction_id = ANY (instruction_ids)
          AND NOT EXISTS (SELECT 1 FROM payment_outbox_pending p WHERE p.instruction_id = k.instruction_id);\n`,
      },
    ],
    scenario: submitsTwice,
  },
  {
    name: 'a claim by row instead of by participant',
    breaks: [
      withoutWall,
      {
        of: 'payment_outbox_claim',
        from: `WHERE l.state = 'READY' AND l.rail_type`,
        to: `WHERE l.state IN ('READY', 'BUSY') AND l.rail_type`,
      },
    ],
    scenario: twoRelaysOneParticipant,
  },
  {
    name: 'a requeue without a fence',
    breaks: [
      withoutWall,
      {
        of: 'payment_outbox_reap',
        from: 'DELETE FROM payment_outbox_inflight WHERE participant_id = ANY (whose) RETURNING *',
        to: 'SELECT * FROM payment_outbox_inflight WHERE participant_id = ANY (whose)',
      },
    ],
    scenario: reportsAfterReap,
  },
];

it.each(variants)('the store as it is passes the scenario for $name', async ({ scenario }) => {
  expect(await scenario()).toEqual([]);
});

it('the schema alone refuses two tokens for one participant, and a lease taken from what is in flight', async () => {
  const here = place();
  await here.enqueue(here.entry('p', 'a'));
  const { instructionId } = await here.claimOne();
  const wall = { code: '23503', constraint: 'inflight_under_the_lanes_token' };
  await expect(
    pool.query(
      'UPDATE payment_outbox_inflight SET claim_token = gen_random_uuid() WHERE instruction_id = $1',
      [instructionId],
    ),
  ).rejects.toMatchObject(wall);
  await expect(
    pool.query(
      `UPDATE participant_outbox_lanes SET state = 'READY', claim_token = NULL, lease_until = NULL WHERE rail_type = $1`,
      [here.railType],
    ),
  ).rejects.toMatchObject(wall);
});

it.each(variants)('the scenario catches $name', async (variant) => {
  expect(await playOn(variant)).not.toEqual([]);
});
