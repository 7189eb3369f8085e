import { inTransaction } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';
import type { ClaimedDelivery, DeliveryQueue, Settlement } from '../ports.js';
import { loadSql } from './sql.js';

interface ClaimRow {
  id: string;
  event_id: string;
  subscription_id: string;
  attempts: number;
  max_attempts: number;
  url: string;
  sealed_secret: Buffer | null;
  body: Buffer;
  type: string;
  received_at: Date;
}

/** The queue of deliveries. All times are the database's: senders with wrong clocks still agree on leases. */
export function createPgDeliveries(pool: Pool): DeliveryQueue {
  const sql = {
    claim: loadSql('claim_deliveries'),
    settle: loadSql('settle_delivery'),
    disable: loadSql('disable_subscription'),
    defer: loadSql('defer_delivery'),
    expire: loadSql('expire_leases'),
    cancel: loadSql('cancel_ended_deliveries'),
    measure: loadSql('measure_backlog'),
  };

  return {
    async claim({ token, limit, limitPerSubscription, leaseMs }) {
      const { rows } = await pool.query<ClaimRow>(sql.claim, [token, limit, limitPerSubscription, leaseMs]);
      return rows.map((row) => toClaim(row, token));
    },

    async settle(claim, settlement) {
      return inTransaction(pool, async (client) => {
        const { rows } = await client.query<{ applied: boolean }>(
          sql.settle,
          settleValues(claim, settlement),
        );
        if (settlement.outcome === 'gone') await client.query(sql.disable, [claim.subscriptionId, 'GONE']);
        return rows[0]?.applied === false ? 'late' : 'recorded';
      });
    },

    async defer(claim, reason, delayMs) {
      await pool.query(sql.defer, [claim.id, claim.token, delayMs, reason]);
    },

    async sweep(limit) {
      const expired = await pool.query(sql.expire, [limit]);
      const cancelled = await pool.query(sql.cancel, [limit]);
      const backlog = await pool.query<{ overdue_seconds: number }>(sql.measure);
      return {
        expired: expired.rowCount ?? 0,
        cancelled: cancelled.rowCount ?? 0,
        overdueSeconds: backlog.rows[0]?.overdue_seconds ?? 0,
      };
    },
  };
}

function toClaim(row: ClaimRow, token: string): ClaimedDelivery {
  return {
    id: row.id,
    token,
    attemptNo: row.attempts,
    maxAttempts: row.max_attempts,
    eventId: row.event_id,
    eventType: row.type,
    receivedAt: row.received_at,
    subscriptionId: row.subscription_id,
    url: row.url,
    sealedSecret: row.sealed_secret ?? undefined,
    body: row.body,
  };
}

function settleValues(claim: ClaimedDelivery, settlement: Settlement): unknown[] {
  const { outcome, status, delayMs, attemptsBack, record } = settlement;
  return [
    claim.id,
    claim.token,
    status,
    delayMs,
    attemptsBack,
    outcome,
    record.statusCode ?? null,
    record.errorCode ?? null,
    record.errorDetail ?? null,
    record.responseBody ?? null,
    Math.round(record.durationMs),
    claim.attemptNo,
  ];
}
