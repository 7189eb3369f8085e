import type { DeliveryStatus, DeliveryView } from '../api-ports.js';

export interface DeliveryRow {
  id: string;
  event_id: string;
  event_type: string;
  subscription_id: string;
  status: DeliveryStatus;
  attempts: number;
  max_attempts: number;
  deferrals: number;
  replay_count: number;
  replayed_at: Date | null;
  next_attempt_at: Date;
  last_attempt_at: Date | null;
  last_status_code: number | null;
  last_error: string | null;
  created_at: Date;
  finished_at: Date | null;
}

export function toDeliveryView(row: DeliveryRow): DeliveryView {
  return {
    id: row.id,
    eventId: row.event_id,
    eventType: row.event_type,
    subscriptionId: row.subscription_id,
    status: row.status,
    attempts: row.attempts,
    maxAttempts: row.max_attempts,
    deferrals: row.deferrals,
    replays: row.replay_count,
    replayedAt: row.replayed_at,
    nextAttemptAt: row.status === 'pending' ? row.next_attempt_at : null,
    lastAttemptAt: row.last_attempt_at,
    lastStatusCode: row.last_status_code,
    lastError: row.last_error,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}
