import type { OutboxProducer } from '@sluice/outbox';
import type { PoolClient } from '@sluice/service-kit/pg';
import { subscriptionDisabledEvent } from '../subscription-disabled-event.js';
import { loadSql } from './sql.js';

interface DisabledRow {
  id: string;
  tenant_id: string;
  url: string;
  version: number;
  status_since: Date;
}

export interface Disabling {
  readonly id: string;
  readonly reason: 'GONE' | 'FAILING';
  readonly detail: Readonly<Record<string, unknown>>;
}

export type DisableSubscription = (client: PoolClient, disabling: Disabling) => Promise<boolean>;

/**
 * Disables a subscription inside the caller's transaction and tells of it: in the audit trail, and by an event of the
 * tenant that leaves through the outbox like any other. False when it had ended already.
 */
export function createDisableSubscription(outbox: Pick<OutboxProducer, 'enqueue'>): DisableSubscription {
  const sql = loadSql('disable_subscription');
  return async (client, { id, reason, detail }) => {
    const { rows } = await client.query<DisabledRow>(sql, [id, reason, JSON.stringify(detail)]);
    const [row] = rows;
    if (row === undefined) return false;
    const event = subscriptionDisabledEvent({
      subscriptionId: row.id,
      tenantId: row.tenant_id,
      url: row.url,
      version: row.version,
      reason,
      at: row.status_since,
    });
    await outbox.enqueue(client, [event]);
    return true;
  };
}
