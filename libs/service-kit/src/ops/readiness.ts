import { describeError } from '../log/describe-error.js';
import type { Logger } from '../log/logger.js';
import type { KitMetrics } from '../metrics.js';
import type { Dependency } from '../service.js';

export interface DependencyState {
  readonly name: string;
  readonly ok: boolean;
  readonly optional?: true;
  readonly latencyMs: number;
  readonly error?: string;
}

export interface ReadinessOptions {
  readonly dependencies: readonly Dependency[];
  readonly metrics: KitMetrics;
  readonly log: Logger;
  /** Time limit of one check. Default 2 s. */
  readonly limitMs?: number;
  /** How long an answer is good for. Default 1 s. */
  readonly cacheMs?: number;
  readonly now?: () => number;
}

export interface Readiness {
  check(): Promise<readonly DependencyState[]>;
}

/** Checks all dependencies together. However often it is asked, each dependency is checked once at a time, once a second. */
export function createReadiness(options: ReadinessOptions): Readiness {
  const now = options.now ?? (() => performance.now());
  const probes = options.dependencies.map((dependency) =>
    createProbe(dependency, options.limitMs ?? 2000, now),
  );
  const lastOk = new Map<string, boolean>();
  let last: { readonly at: number; readonly states: Promise<readonly DependencyState[]> } | undefined;

  const record = (state: DependencyState): void => {
    options.metrics.dependencyUp.set({ dependency: state.name }, state.ok ? 1 : 0);
    options.metrics.dependencyLatency.set({ dependency: state.name }, state.latencyMs / 1000);
    const before = lastOk.get(state.name) ?? true;
    lastOk.set(state.name, state.ok);
    if (before && !state.ok)
      options.log.warn({ dependency: state.name, reason: state.error }, 'dependency is not ready');
    if (!before && state.ok) options.log.info({ dependency: state.name }, 'dependency is ready again');
  };

  const checkAll = async (): Promise<readonly DependencyState[]> => {
    const states = await Promise.all(probes.map((probe) => probe()));
    states.forEach(record);
    return states;
  };

  return {
    check() {
      if (last === undefined || now() - last.at >= (options.cacheMs ?? 1000))
        last = { at: now(), states: checkAll() };
      return last.states;
    },
  };
}

/** One dependency's check with a time limit. While an earlier check still hangs, no other one is begun. */
function createProbe(
  dependency: Dependency,
  limitMs: number,
  now: () => number,
): () => Promise<DependencyState> {
  let pending: Promise<void> | undefined;
  return async () => {
    const about = { name: dependency.name, ...(dependency.optional ? { optional: true as const } : {}) };
    if (pending !== undefined)
      return { ...about, ok: false, latencyMs: limitMs, error: 'an earlier check still hangs' };
    const startedAt = now();
    const limit = AbortSignal.timeout(limitMs);
    pending = Promise.resolve()
      .then(() => dependency.check(limit))
      .finally(() => (pending = undefined));
    try {
      await Promise.race([pending, rejectOnAbort(limit, `no answer within ${limitMs} ms`)]);
      return { ...about, ok: true, latencyMs: Math.round(now() - startedAt) };
    } catch (error) {
      return { ...about, ok: false, latencyMs: Math.round(now() - startedAt), error: describeError(error) };
    }
  };
}

function rejectOnAbort(signal: AbortSignal, message: string): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(message)), { once: true });
  });
}
