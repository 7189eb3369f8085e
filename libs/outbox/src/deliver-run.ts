import { dispatchClaim } from './dispatch-claim.js';
import type { DispatchOptions } from './dispatch-claim.js';
import type { Claim, Outcome } from './ports.js';

export interface RunOptions extends DispatchOptions {
  readonly monotonic: () => number;
  /** no further send is begun after this time */
  readonly budgetMs: number;
  /** the relay is about to stop */
  readonly stopping: AbortSignal;
  /** an outcome that is to be recorded; the next send does not wait for that */
  readonly report: (claim: Claim, outcome: Outcome, latencyMs: number) => void;
  /** left to the reaper */
  readonly abandon: (claim: Claim) => void;
}

/**
 * Sends the instructions of one participant one after the other. A run ends at the first one that keeps its place or holds
 * its participant; what is behind it goes back unsent, and so does the rest when time is up.
 */
export async function deliverRun(claims: readonly Claim[], options: RunOptions): Promise<void> {
  const { monotonic, budgetMs, stopping, report, abandon } = options;
  const startedAt = monotonic();
  let end: string | undefined;
  for (const [position, claim] of claims.entries()) {
    if (position > 0 && stopping.aborted) end ??= 'the relay is about to stop';
    if (position > 0 && monotonic() - startedAt > budgetMs) end ??= 'the run took too long';
    if (end !== undefined) {
      report(claim, unsent(claim, end), 0);
      continue;
    }
    const sentAt = monotonic();
    const outcome = await dispatchClaim(claim, options);
    if (!outcome) {
      claims.slice(position).forEach(abandon);
      return;
    }
    report(claim, outcome, monotonic() - sentAt);
    if (!letsNextGo(outcome)) end = `${claim.instructionId} keeps its place before it`;
  }
}

function letsNextGo(outcome: Outcome): boolean {
  if (outcome.kind === 'executed') return true;
  return (outcome.kind === 'failed' || outcome.kind === 'inDoubt') && !outcome.holds;
}

function unsent({ outcomeUnknown }: Claim, message: string): Outcome {
  return { kind: 'deferred', delayMs: 0, outcomeUnknown, code: 'NOT_SENT', message };
}
