import type { Logger } from '../log/logger.js';
import type { Closable } from '../service.js';
import type { Drainable } from './drainable.js';

export interface ShutdownPlan {
  /** Intake first told to stop, all together. */
  readonly intake: readonly Drainable[];
  readonly flush: readonly Closable[];
  readonly close: readonly Closable[];
  readonly drainMs: number;
  /** What flushing and closing have beyond the time to drain. */
  readonly closingMs: number;
  readonly log: Logger;
}

/** Stop intake, drain, flush, close: in this order, whatever happens. Returns the names of what did not stop in order. */
export async function shutDown(plan: ShutdownPlan): Promise<string[]> {
  const startedAt = performance.now();
  const left = (): number => Math.max(0, startedAt + plan.drainMs + plan.closingMs - performance.now());

  for (const drainable of plan.intake) drainable.stop();
  const drained = await Promise.all(
    plan.intake.map(async (drainable) => {
      const outcome = await settleWithin(drainable.stopped, plan.drainMs);
      if (outcome !== 'done') drainable.abandon?.();
      return outcome === 'done' ? [] : [describe(drainable.name, outcome)];
    }),
  );
  const failed = drained.flat();
  plan.log.info({ ms: Math.round(performance.now() - startedAt), notDrained: failed }, 'drained');

  for (const closable of [...plan.flush, ...plan.close]) {
    const closing = Promise.resolve().then(() => closable.close());
    const outcome = await settleWithin(closing, left());
    if (outcome === 'done') continue;
    failed.push(describe(closable.name, outcome));
    if (outcome !== 'late') plan.log.error({ err: outcome.error, name: closable.name }, 'closing failed');
  }
  return failed;
}

type Settled = 'done' | 'late' | { readonly error: unknown };

function settleWithin(work: Promise<void>, ms: number): Promise<Settled> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('late'), ms);
    const finish = (outcome: Settled): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    work.then(
      () => finish('done'),
      (error: unknown) => finish({ error }),
    );
  });
}

function describe(name: string, outcome: Exclude<Settled, 'done'>): string {
  return outcome === 'late' ? `${name} (did not stop in time)` : `${name} (failed)`;
}
