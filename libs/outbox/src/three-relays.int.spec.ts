import { Pool } from 'pg';
import { createPgOutbox } from './adapters/pg-outbox.js';
import { expectAuditToTell, expectInOrderAndOnce } from './testing/crash/check.js';
import { openLedger } from './testing/crash/ledger.js';
import { startProcess } from './testing/crash/start-process.js';
import { eventually } from './testing/eventually.js';
import { corner } from './testing/harness.js';

const databaseUrl = process.env['PG_URL'] ?? '';
const patience = 90_000;
const participants = 20;
const perParticipant = 15;

it('keeps order and once-only with three relays, one of them stopped past its leases and resumed', async () => {
  const pool = new Pool({ connectionString: databaseUrl, max: 5 });
  const outbox = createPgOutbox(pool);
  const here = corner(() => ({ outbox, transaction: (work) => work(pool), close: () => pool.end() }));
  const ledger = await openLedger({ answersAfterMs: 20 });
  const { railType } = here;
  const entries = Array.from({ length: participants * perParticipant }, (_, n) =>
    here.entry(`p${n % participants}`, `${n}`),
  );
  const order = { kind: 'relay', databaseUrl, ledgerUrl: ledger.url, railType, leaseSeconds: 1 } as const;
  const countOf = async (state: string): Promise<number> => {
    const statement = `SELECT count(*)::INT AS count FROM payment_outbox_attempts WHERE rail_type = $1 AND state = $2`;
    const { rows } = await pool.query<{ count: number }>(statement, [railType, state]);
    return rows[0]?.count ?? 0;
  };

  // Alone at first, so that it is sure to hold leases when it is stopped.
  const stopped = startProcess(order);
  await stopped.told;
  await here.enqueue(...entries);
  await eventually('the first relay is at work', () => ledger.executions.length > 0, patience);
  stopped.signal('SIGSTOP');
  const others = [startProcess(order), startProcess(order)];
  await eventually('its leases were taken away', async () => (await countOf('ZOMBIE_REQUEUE')) > 0, patience);
  const done = () => ledger.executions.length === entries.length;
  await eventually('the others executed the rest', done, patience);
  stopped.signal('SIGCONT');
  const drained = async (): Promise<boolean> => {
    const { pending, inFlight } = await outbox.depth([railType]);
    return pending + inFlight === 0;
  };
  await eventually('nothing waits or flies', drained, patience);
  await eventually(
    'the resumed relay reported late',
    async () => (await countOf('LATE_RESULT')) > 0,
    patience,
  );
  for (const relay of [stopped, ...others]) relay.signal('SIGTERM');
  for (const relay of [stopped, ...others]) expect(await relay.ended).toBe(0);

  const names = Array.from({ length: participants }, (_, n) => here.participant(`p${n}`));
  expectInOrderAndOnce(ledger, new Map(names.map((name) => [name, perParticipant])));
  await expectAuditToTell(
    outbox,
    entries.map((entry) => entry.instructionId),
  );
  await ledger.close();
  await pool.end();
}, 300_000);
