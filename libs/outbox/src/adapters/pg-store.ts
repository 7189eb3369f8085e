import type { Pool } from 'pg';
import type { Claim, ClaimRequest, OutboxStore, Settlement } from '../ports.js';
import type { AttemptState } from '../views.js';
import { toClaim } from './rows.js';
import type { ClaimRow, LeaseRow, SettledRow } from './rows.js';
import type { Run } from './statements.js';

export function store(pool: Pool, run: Run): OutboxStore {
  return {
    async claim(request) {
      const wanted = wantedOf(request);
      if (wanted.railTypes.length === 0 || request.limit < 1) return [];
      const { railTypes, participants, runLengths } = wanted;
      const { limit, leaseSeconds, token } = request;
      const values = [railTypes, participants, runLengths, limit, leaseSeconds, token];
      const rows = await run<ClaimRow>(pool, 'claim_due_runs', values);
      const claims = rows.map((row) => toClaim(row, token)).sort(bySequence);
      return withinLimit(claims, limit);
    },
    async renew(leases, leaseSeconds) {
      if (leases.length === 0) return [];
      const values = [leases.map((l) => l.participantId), leases.map((l) => l.token), leaseSeconds];
      const rows = await run<LeaseRow>(pool, 'renew_leases', values);
      return rows.map((row) => ({ participantId: row.participant_id, token: row.claim_token }));
    },
    async settle(settlements) {
      if (settlements.length === 0) return [];
      const values = [JSON.stringify(settlements.map(toResult))];
      const rows = await run<SettledRow>(pool, 'settle_claims', values);
      return rows.map((row) => ({
        outboxId: row.settled_outbox_id,
        token: row.settled_token,
        kind: row.settled_kind,
      }));
    },
    async reap({ railTypes, limit }) {
      const rows = await run(pool, 'reap_expired_leases', [railTypes, limit]);
      return rows.length;
    },
  };
}

function wantedOf({ railTypes, limit, limits = {} }: ClaimRequest) {
  const wanted = [...new Set(railTypes)]
    .map((railType) => ({ railType, ...(limits[railType] ?? { participants: limit, runLength: 1 }) }))
    .filter(({ participants, runLength }) => participants >= 1 && runLength >= 1);
  return {
    railTypes: wanted.map(({ railType }) => railType),
    participants: wanted.map(({ participants }) => Math.min(participants, limit)),
    runLengths: wanted.map(({ runLength }) => runLength),
  };
}

function bySequence(one: Claim, other: Claim): number {
  return one.sequenceId - other.sequenceId;
}

/** More than was asked for would wait in memory while their lease runs. */
function withinLimit(claims: readonly Claim[], limit: number): readonly Claim[] {
  const participants = new Set(claims.map((claim) => claim.participantId)).size;
  if (participants > limit)
    throw new Error(`claimed ${participants} participants where ${limit} were allowed`);
  return claims;
}

const attemptStates = {
  executed: 'DISPATCHED',
  retryLater: 'RETRYABLE',
  deferred: 'DEFERRED',
  failed: 'FAILED',
  inDoubt: 'IN_DOUBT',
} as const satisfies Record<Settlement['outcome']['kind'], AttemptState>;

function toResult({
  outboxId,
  participantId,
  token,
  outcome,
  latencyMs,
}: Settlement): Record<string, unknown> {
  const result = {
    outbox_id: outboxId,
    participant_id: participantId,
    token,
    kind: outcome.kind,
    state: attemptStates[outcome.kind],
    latency_ms: Math.round(latencyMs),
  };
  if (outcome.kind === 'executed') return { ...result, reference: outcome.reference, code: outcome.code };
  const unhappy = { ...result, error_code: outcome.code, error_message: outcome.message };
  if (outcome.kind === 'failed' || outcome.kind === 'inDoubt') return { ...unhappy, holds: outcome.holds };
  return { ...unhappy, delay_ms: outcome.delayMs, outcome_unknown: outcome.outcomeUnknown };
}
