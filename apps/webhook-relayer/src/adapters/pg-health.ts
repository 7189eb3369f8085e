import { inTransaction } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';
import type { HealthDelta, HealthStore } from '../delivery-ports.js';
import type { DisableSubscription } from './pg-disable-subscription.js';
import { loadSql } from './sql.js';

/** How subscriptions are doing, kept up without ever reading deliveries. */
export function createPgHealth(pool: Pool, disable: DisableSubscription): HealthStore {
  const sql = {
    addHours: loadSql('add_subscription_hours'),
    note: loadSql('note_subscription_health'),
    findFailing: loadSql('find_failing_subscriptions'),
  };
  return {
    async add(deltas) {
      await inTransaction(pool, async (client) => {
        await client.query(sql.addHours, hourColumns(deltas));
        await client.query(sql.note, healthColumns(deltas));
      });
    },

    async disableFailing(afterMs, limit) {
      const { rows } = await pool.query<{ subscription_id: string; failing_since: Date }>(sql.findFailing, [
        afterMs,
        limit,
      ]);
      const disabled: string[] = [];
      for (const { subscription_id: id, failing_since: failingSince } of rows) {
        const done = await inTransaction(pool, (client) =>
          disable(client, { id, reason: 'FAILING', detail: { failingSince: failingSince.toISOString() } }),
        );
        if (done) disabled.push(id);
      }
      return disabled;
    },
  };
}

function hourColumns(deltas: readonly HealthDelta[]): unknown[] {
  return [
    deltas.map(({ subscriptionId }) => subscriptionId),
    deltas.map(({ delivered }) => delivered),
    deltas.map(({ retried }) => retried),
    deltas.map(({ failed }) => failed),
    JSON.stringify(deltas.map(({ durationBuckets }) => durationBuckets)),
  ];
}

function healthColumns(deltas: readonly HealthDelta[]): unknown[] {
  return [
    deltas.map(({ subscriptionId }) => subscriptionId),
    deltas.map(({ delivered }) => delivered > 0),
    deltas.map(({ retried, failed }) => retried + failed > 0),
    deltas.map(({ lastWasFailure }) => lastWasFailure),
    deltas.map(({ lastFailure }) => lastFailure?.statusCode ?? null),
    deltas.map(({ lastFailure }) => lastFailure?.errorCode ?? null),
    deltas.map(({ lastFailure }) => lastFailure?.errorDetail ?? null),
  ];
}
