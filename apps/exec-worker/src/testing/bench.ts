import { createPgOutbox } from '@sluice/outbox';
import type { OutboxEntry, PgOutbox } from '@sluice/outbox';
import { createPgPayments, fingerprintOf } from '@sluice/payments';
import type { PaymentId, PaymentRequest, PaymentStore } from '@sluice/payments';
import { createLogger, systemClock } from '@sluice/service-kit';
import { connectPg } from '@sluice/service-kit/pg';
import type { Pool } from '@sluice/service-kit/pg';
import { createExecActivities } from '../activities.js';
import { pgExecutions } from '../adapters/pg-executions.js';
import type { ExecActivities } from '../exec-steps.js';
import { requestFor, scheduledTime } from './contexts.js';

export interface Bench {
  readonly pool: Pool;
  readonly payments: PaymentStore;
  readonly outbox: PgOutbox;
  readonly steps: ExecActivities;
  /** puts SCHEDULED payments into the table, as Phase A leaves them */
  readonly schedule: (...paymentIds: string[]) => Promise<PaymentId[]>;
  /** the same for one payment that differs from the usual one */
  readonly scheduleAs: (paymentId: string, change: Record<string, unknown>) => Promise<void>;
  readonly statuses: (paymentId: string) => Promise<string[]>;
  /** what waits in the outbox for a payment, in the order it was enqueued */
  readonly queued: (
    paymentId: string,
  ) => Promise<Pick<OutboxEntry, 'instructionId' | 'railType' | 'payload'>[]>;
  readonly close: () => Promise<void>;
}

/** Phase B's steps on the real tables, as main.ts composes them. */
export function createBench(pgUrl: string): Bench {
  const log = createLogger({ service: 'exec-worker', level: 'silent' });
  const pool = connectPg({ url: pgUrl, applicationName: 'exec-worker test', log });
  const payments = createPgPayments();
  const outbox = createPgOutbox(pool);
  const executions = pgExecutions({ pool, payments, outbox });

  async function insert(requests: readonly PaymentRequest[]): Promise<void> {
    const rows = requests.map((request) => ({
      request,
      fingerprint: fingerprintOf(request),
      scheduledTime,
      initWorkflowId: `init-payment-${request.paymentId}`,
    }));
    await payments.insertScheduled(pool, rows);
  }

  return {
    pool,
    payments,
    outbox,
    steps: createExecActivities({ executions, clock: systemClock }),
    async schedule(...paymentIds) {
      const requests = paymentIds.map((paymentId) => requestFor(paymentId));
      await insert(requests);
      return requests.map((request) => request.paymentId);
    },
    scheduleAs: (paymentId, change) => insert([requestFor(paymentId, change)]),
    async statuses(paymentId) {
      const changes = await payments.listStatusChanges(pool, requestFor(paymentId).paymentId);
      return changes.map((change) => change.to);
    },
    async queued(paymentId) {
      const { rows } = await pool.query<{ instruction_id: string; rail_type: string; payload: unknown }>(
        `SELECT instruction_id, rail_type, payload FROM payment_outbox_pending
         WHERE payload->>'paymentId' = $1 OR payload->'data'->>'paymentId' = $1 ORDER BY created_at, sequence_id`,
        [paymentId],
      );
      return rows.map((row) => ({
        instructionId: row.instruction_id,
        railType: row.rail_type,
        payload: row.payload,
      }));
    },
    close: () => pool.end(),
  };
}
