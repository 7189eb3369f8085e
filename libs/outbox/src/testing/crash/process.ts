/**
 * A process that can be killed: `node process.js <JSON of ProcessOrder>`. Either a whole life with one planned failure, or a
 * relay and a reaper that go on until they are told to stop. Says `!` when the failure begins.
 */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import type { PoolClient } from 'pg';
import { createPgOutbox } from '../../adapters/pg-outbox.js';
import type { OutboxEntry } from '../../ports.js';
import { createRelay } from '../../relay.js';
import { openCuttingProxy } from './cutting-proxy.js';
import { createFailpoints } from './failpoint.js';
import type { Plan, Step } from './failpoint.js';
import { ledgerDestination } from './ledger.js';
import { live } from './life.js';
import type { LifeParts } from './life.js';

export type ProcessOrder = {
  readonly databaseUrl: string;
  readonly ledgerUrl: string;
  readonly railType: string;
  readonly leaseSeconds: number;
} & (
  | {
      readonly kind: 'life';
      readonly plan?: Plan | undefined;
      readonly entries: readonly OutboxEntry[];
      readonly deadLetter: string;
    }
  | { readonly kind: 'relay' }
);

const statements: Readonly<Record<Exclude<Step, 'send' | 'ask'>, string>> = {
  enqueue: 'outbox_enqueue_entries',
  commit: 'COMMIT',
  claim: 'outbox_claim_due_runs',
  outcome: 'outbox_settle_claims',
  requeue: 'outbox_settle_claims',
  reap: 'outbox_reap_expired_leases',
  redrive: 'outbox_operate_on_dead_letters',
};

function connect(url: string): Pool {
  const pool = new Pool({ connectionString: url, max: 4 });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

function transactionOn(pool: Pool): LifeParts['transaction'] {
  return async (work, commit) => {
    const client: PoolClient = await pool.connect();
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await commit(() => client.query('COMMIT'));
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  };
}

async function liveOnce(order: ProcessOrder & { kind: 'life' }): Promise<void> {
  const proxy = await openCuttingProxy(order.databaseUrl);
  const pool = connect(proxy.url);
  const failpoints = createFailpoints(order.plan, {
    stallMs: order.leaseSeconds * 2_500,
    kill: () => process.kill(process.pid, 'SIGKILL'),
    tell: () => void writeSync(1, '!'),
    cut: (step, side) =>
      step === 'send' || step === 'ask' ? proxy.cutAll() : proxy.cutAt(statements[step], side),
  });
  const destination = ledgerDestination(order.ledgerUrl);
  const outbox = createPgOutbox(pool);
  await live({ ...order, outbox, transaction: transactionOn(pool), destination, failpoints });
  await pool.end();
  await proxy.close();
}

async function relayOn(order: ProcessOrder): Promise<void> {
  const pool = connect(order.databaseUrl);
  const outbox = createPgOutbox(pool);
  const { railType, leaseSeconds } = order;
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort());
  const relay = createRelay({
    name: 'relay',
    store: outbox,
    destinations: { [railType]: ledgerDestination(order.ledgerUrl) },
    leaseSeconds,
    pollIntervalMs: 50,
    run: { longest: 3, budgetMs: 60_000 },
  });
  const running = relay.run(stop.signal, () => undefined);
  writeSync(1, '!');
  while (!stop.signal.aborted) {
    await outbox.reap({ railTypes: [railType], limit: 100 }).catch(() => undefined);
    await sleep(100);
  }
  await running;
  await pool.end();
}

const order = JSON.parse(process.argv[2] ?? '') as ProcessOrder;
void (order.kind === 'life' ? liveOnce(order) : relayOn(order));
