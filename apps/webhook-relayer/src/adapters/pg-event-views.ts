import type { AttemptView, EventViews } from '../api-ports.js';
import { toDeliveryView } from './delivery-row.js';
import type { DeliveryRow } from './delivery-row.js';
import type { Database } from './database.js';
import { loadSql } from './sql.js';

const LIST_LIMIT = 1_000;

/** Events as producers and customers see them. */
export function createPgEventViews(database: Database): EventViews {
  const sql = {
    findEvent: loadSql('find_event'),
    listDeliveries: loadSql('list_event_deliveries'),
    listAttempts: loadSql('list_event_attempts'),
  };
  const findEvent = async (tenantId: string, id: string): Promise<EventRow | undefined> => {
    const rows = await database.query<EventRow>(sql.findEvent, [tenantId, id]);
    return rows[0];
  };
  return {
    async find(tenantId, id) {
      const event = await findEvent(tenantId, id);
      if (event === undefined) return undefined;
      const rows = await database.query<DeliveryRow>(sql.listDeliveries, [tenantId, id, LIST_LIMIT]);
      return {
        id: event.id,
        type: event.type,
        source: event.source,
        occurredAt: event.occurred_at,
        receivedAt: event.received_at,
        body: event.body,
        deliveries: rows.map(toDeliveryView),
      };
    },
    async attempts(tenantId, id) {
      if ((await findEvent(tenantId, id)) === undefined) return undefined;
      const rows = await database.query<AttemptRow>(sql.listAttempts, [tenantId, id, LIST_LIMIT]);
      return rows.map(toAttemptView);
    },
  };
}

interface EventRow {
  id: string;
  type: string;
  source: string;
  occurred_at: Date;
  received_at: Date;
  body: Buffer;
}

interface AttemptRow {
  delivery_id: string;
  subscription_id: string;
  attempt_no: number;
  replay_no: number;
  outcome: string;
  applied: boolean;
  status_code: number | null;
  error_code: string | null;
  error_detail: string | null;
  response_body: string | null;
  duration_ms: number | null;
  recorded_at: Date;
}

function toAttemptView(row: AttemptRow): AttemptView {
  return {
    deliveryId: row.delivery_id,
    subscriptionId: row.subscription_id,
    attemptNo: row.attempt_no,
    replayNo: row.replay_no,
    outcome: row.outcome,
    applied: row.applied,
    statusCode: row.status_code,
    errorCode: row.error_code,
    errorDetail: row.error_detail,
    responseBody: row.response_body,
    durationMs: row.duration_ms,
    recordedAt: row.recorded_at,
  };
}
