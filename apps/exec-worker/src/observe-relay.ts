import type { AttemptState, Outcome, RelayObserver } from '@sluice/outbox';
import type { Logger } from '@sluice/service-kit';
import { countAttempts } from './metrics.js';
import type { Metrics } from './metrics.js';

const states = {
  executed: 'DISPATCHED',
  retryLater: 'RETRYABLE',
  deferred: 'DEFERRED',
  failed: 'FAILED',
  inDoubt: 'IN_DOUBT',
} as const satisfies Record<Outcome['kind'], AttemptState>;

/** What the relay does, as metrics and log lines. */
export function observeRelay(metrics: Metrics, log: Logger): RelayObserver {
  return {
    claimed(claims) {
      metrics.claimBatches.inc();
      countAttempts(metrics, 'DISPATCHING', claims.length);
    },
    settled({ instructionId, participantId, railType, attemptNo }, outcome, { latencyMs, late }) {
      const state = late ? 'LATE_RESULT' : states[outcome.kind];
      countAttempts(metrics, state);
      if (late) metrics.lateResults.inc();
      // What was not sent took no time at the rail.
      if (outcome.kind !== 'deferred') metrics.dispatchLatency.observe({ rail: railType }, latencyMs);
      const line = { instructionId, participantId, rail: railType, attemptNo, state, code: outcome.code };
      if (late) log.warn(line, 'a result came after its lease was lost; it is on record and changed nothing');
      else if (outcome.kind === 'failed') log.error(line, 'an instruction became a dead letter');
      else if (outcome.kind === 'inDoubt') log.error(line, 'an instruction is in doubt');
      else log.debug(line, 'an instruction was settled');
    },
    abandoned({ instructionId }) {
      log.warn({ instructionId }, 'an instruction was left to the reaper');
    },
    failed(step, err) {
      log.error({ err, step }, 'the relay could not reach its database; it tries again');
    },
  };
}
