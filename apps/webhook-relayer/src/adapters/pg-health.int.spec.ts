import { randomUUID } from 'node:crypto';
import { createPgOutbox } from '@sluice/outbox';
import { createLogger } from '@sluice/service-kit';
import { connectPg } from '@sluice/service-kit/pg';
import { createDisableSubscription } from './pg-disable-subscription.js';
import { createPgHealth } from './pg-health.js';

const log = createLogger({ service: 'test', level: 'silent' });
const pool = connectPg({ url: process.env.PG_URL ?? '', applicationName: 'test', log });
afterAll(() => pool.end());

describe('the health of a subscription', () => {
  it('adds up by the hour and keeps the last error', async () => {
    const health = createPgHealth(pool, createDisableSubscription(createPgOutbox(pool)));
    const subscriptionId = `sub_${randomUUID()}`;
    const buckets = [1, 2, 0, 0, 0, 0, 0, 0, 0, 0];
    const delta = { subscriptionId, delivered: 2, retried: 1, failed: 0, durationBuckets: buckets };
    const lastFailure = { statusCode: 503, errorCode: 'HTTP_503', errorDetail: 'busy' };
    await health.add([{ ...delta, lastWasFailure: true, lastFailure }]);
    await health.add([{ ...delta, retried: 0, lastWasFailure: false }]);
    const hours = await pool.query(
      'SELECT delivered, retried, failed, duration_buckets FROM webhook_subscription_hours WHERE subscription_id = $1',
      [subscriptionId],
    );
    const total = { delivered: 0, retried: 0, failed: 0, first: 0 };
    for (const row of hours.rows as {
      delivered: number;
      retried: number;
      failed: number;
      duration_buckets: number[];
    }[]) {
      total.delivered += row.delivered;
      total.retried += row.retried;
      total.failed += row.failed;
      total.first += row.duration_buckets[1] ?? 0;
    }
    expect(total).toEqual({ delivered: 4, retried: 1, failed: 0, first: 4 });
    const { rows } = await pool.query(
      'SELECT failing_since, last_status_code, last_error_code FROM webhook_subscription_health WHERE subscription_id = $1',
      [subscriptionId],
    );
    expect(rows).toEqual([{ failing_since: null, last_status_code: 503, last_error_code: 'HTTP_503' }]);
  });
});

describe('the audit trail', () => {
  it.each([
    'UPDATE webhook_delivery_attempts SET applied = false',
    'DELETE FROM webhook_delivery_attempts',
    'TRUNCATE webhook_delivery_attempts',
    'DELETE FROM webhook_operational_events',
  ])('refuses %s', (statement) => expect(pool.query(statement)).rejects.toMatchObject({ code: '23001' }));
});
