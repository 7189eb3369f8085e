import { inTransaction } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';
import type {
  ClaimedDelivery,
  DeliveryQueue,
  DueSubscription,
  Limits,
  SettledClaim,
} from '../delivery-ports.js';
import type { DisableSubscription } from './pg-disable-subscription.js';
import { createEndpointReader, limitsOf } from './pg-endpoints.js';
import type { LimitColumns } from './pg-endpoints.js';
import { loadSql } from './sql.js';

interface ClaimRow {
  id: string;
  tenant_id: string;
  event_id: string;
  event_type: string;
  subscription_id: string;
  attempts: number;
  max_attempts: number;
  replay_count: number;
  lag_ms: number;
  body: Buffer;
  received_at: Date;
}

interface QueryConfig {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

interface DueRow extends LimitColumns {
  subscription_id: string;
  due: number;
}

export interface PgDeliveriesOptions {
  readonly defaults: Limits;
  readonly disable: DisableSubscription;
}

/** The queue of deliveries. All times are the database's: senders with wrong clocks still agree on leases. */
export function createPgDeliveries(pool: Pool, { defaults, disable }: PgDeliveriesOptions): DeliveryQueue {
  const sql = {
    findDue: loadSql('find_due_subscriptions'),
    claim: loadSql('claim_deliveries'),
    settle: loadSql('settle_deliveries'),
    defer: loadSql('defer_deliveries'),
  };
  const withEndpoints = createEndpointReader(defaults);

  /** One statement; a transaction only where subscriptions end with it. */
  const write = async (statement: QueryConfig, gone: readonly string[]): Promise<readonly AppliedRow[]> => {
    if (gone.length === 0) return (await pool.query<AppliedRow>(statement)).rows;
    return inTransaction(pool, async (client) => {
      const { rows } = await client.query<AppliedRow>(statement);
      for (const id of gone) await disable(client, { id, reason: 'GONE', detail: {} });
      return rows;
    });
  };

  return {
    async findDue({ after, maxSubscriptions, maxPerSubscription, held }) {
      const values = [after, maxSubscriptions, maxPerSubscription, held];
      const { rows } = await pool.query<DueRow>({ name: 'find_due', text: sql.findDue, values });
      const isWholePage = rows.length === maxSubscriptions;
      return {
        subscriptions: rows.filter(({ due }) => due > 0).map((row) => toDue(row, defaults)),
        next: isWholePage ? (rows.at(-1)?.subscription_id ?? '') : '',
      };
    },

    async claim(wanted, { token, leaseMs }) {
      const ids = wanted.map(({ subscriptionId }) => subscriptionId);
      const values = [token, leaseMs, ids, wanted.map(({ count }) => count)];
      const { rows } = await pool.query<ClaimRow>({ name: 'claim', text: sql.claim, values });
      const complete = await withEndpoints(pool, rows, (row) => row.subscription_id);
      return complete.map((row) => toClaim(row, token));
    },

    async settle(settled) {
      const rows = await write(
        { name: 'settle', text: sql.settle, values: settleColumns(settled) },
        goneOf(settled),
      );
      const late = new Set(
        rows.filter(({ applied }) => !applied).map((row) => `${row.delivery_id} ${row.claim_token}`),
      );
      return settled.map(({ claim }) => (late.has(`${claim.id} ${claim.token}`) ? 'late' : 'recorded'));
    },

    async defer(deferrals) {
      await pool.query({
        name: 'defer',
        text: sql.defer,
        values: [
          deferrals.map(({ claim }) => claim.id),
          deferrals.map(({ claim }) => claim.token),
          deferrals.map(({ delayMs }) => delayMs),
          deferrals.map(({ reason }) => reason),
        ],
      });
    },

    sweep: createSweep(pool),
  };
}

function createSweep(pool: Pool): DeliveryQueue['sweep'] {
  const sql = {
    expire: loadSql('expire_leases'),
    cancel: loadSql('cancel_ended_deliveries'),
    measure: loadSql('measure_backlog'),
  };
  return async (limit) => {
    const expired = await pool.query(sql.expire, [limit]);
    const cancelled = await pool.query(sql.cancel, [limit]);
    const backlog = await pool.query<{ overdue_seconds: number }>(sql.measure);
    return {
      expired: expired.rowCount ?? 0,
      cancelled: cancelled.rowCount ?? 0,
      overdueSeconds: backlog.rows[0]?.overdue_seconds ?? 0,
    };
  };
}

interface AppliedRow {
  delivery_id: string;
  claim_token: string;
  applied: boolean;
}

function toDue(row: DueRow, defaults: Limits): DueSubscription {
  return { subscriptionId: row.subscription_id, due: row.due, limits: limitsOf(row, defaults) };
}

function toClaim(row: ClaimRow & Pick<ClaimedDelivery, 'endpoint'>, token: string): ClaimedDelivery {
  return {
    id: row.id,
    token,
    tenantId: row.tenant_id,
    attemptNo: row.attempts,
    maxAttempts: row.max_attempts,
    replayNo: row.replay_count,
    eventId: row.event_id,
    eventType: row.event_type,
    receivedAt: row.received_at,
    lagMs: row.lag_ms,
    body: row.body,
    endpoint: row.endpoint,
  };
}

/** Subscriptions whose endpoints said that they are gone for good; in one order, so that two writers cannot block each other. */
function goneOf(settled: readonly SettledClaim[]): string[] {
  const gone = settled.filter(({ settlement }) => settlement.outcome === 'gone');
  return [...new Set(gone.map(({ claim }) => claim.endpoint.subscriptionId))].sort();
}

function settleColumns(settled: readonly SettledClaim[]): unknown[][] {
  const claims = settled.map(({ claim }) => claim);
  const settlements = settled.map(({ settlement }) => settlement);
  const records = settlements.map(({ record }) => record);
  return [
    claims.map(({ id }) => id),
    claims.map(({ token }) => token),
    claims.map(({ tenantId }) => tenantId),
    claims.map(({ eventId }) => eventId),
    claims.map(({ endpoint }) => endpoint.subscriptionId),
    claims.map(({ attemptNo }) => attemptNo),
    claims.map(({ replayNo }) => replayNo),
    settlements.map(({ status }) => status),
    settlements.map(({ delayMs }) => delayMs),
    settlements.map(({ attemptsBack }) => attemptsBack),
    settlements.map(({ outcome }) => outcome),
    records.map(({ statusCode }) => statusCode ?? null),
    records.map(({ errorCode }) => errorCode ?? null),
    records.map(({ errorDetail }) => errorDetail ?? null),
    records.map(({ responseBody }) => responseBody ?? null),
    records.map(({ durationMs }) => Math.round(durationMs)),
  ];
}
