import { rampCap } from './guards.js';
import type { CircuitState, CircuitView, GuardSettings, PermitUse } from './guards.js';

export interface LocalCircuit {
  /** How many more requests may begin, at most `count`, and how far the limits are open; opens for probes when it is time. */
  opening(
    count: number,
    at: number,
  ): { readonly count: number; readonly cap: number; readonly waitMs: number };
  /** Notes a request that begins, so that it is known as a probe if it is one. */
  begin(token: string, expiresAt: number): void;
  report(token: string, use: Exclude<PermitUse, 'unused'>, at: number): void;
  forget(token: string): void;
  view(at: number): CircuitView;
  /** Nothing that a new circuit would not know. */
  isAtRest(): boolean;
}

/** While all probes are under way there is nothing to do but to wait for one of them. */
const PROBING_MS = 1_000;

/** A circuit as one process sees it. */
export function createLocalCircuit(settings: GuardSettings, probeLimit: number): LocalCircuit {
  const probes = new Map<string, number>();
  let state: CircuitState = 'closed';
  let failures = 0;
  let openUntil = 0;
  /** When it closed, while the ramp is on. */
  let closedAt: number | undefined;

  const capAt = (at: number): number => {
    if (closedAt === undefined) return Number.POSITIVE_INFINITY;
    const cap = rampCap(at - closedAt, settings);
    if (cap === Number.POSITIVE_INFINITY) closedAt = undefined;
    return cap;
  };
  const close = (at: number): void => {
    if (state === 'half_open') closedAt = at;
    state = 'closed';
    failures = 0;
    probes.clear();
  };
  const open = (at: number): void => {
    state = 'open';
    openUntil = at + settings.openMs;
    closedAt = undefined;
    probes.clear();
  };

  return {
    opening(count, at) {
      if (state === 'open' && at < openUntil) return { count: 0, cap: 0, waitMs: openUntil - at };
      if (state === 'open') state = 'half_open';
      const cap = capAt(at);
      if (state === 'closed') return { count, cap, waitMs: 0 };
      for (const [token, expiresAt] of probes) if (expiresAt <= at) probes.delete(token);
      return { count: Math.max(0, Math.min(count, probeLimit - probes.size)), cap, waitMs: PROBING_MS };
    },
    begin(token, expiresAt) {
      if (state === 'half_open') probes.set(token, expiresAt);
    },
    report(token, use, at) {
      const wasProbe = probes.delete(token);
      if (use === 'neutral' || state === 'open') return;
      // What was sent before the circuit opened is no proof that it may close.
      if (state === 'half_open' && !wasProbe) return;
      if (use === 'success') return close(at);
      failures += 1;
      if (state === 'half_open' || failures >= settings.failureThreshold) open(at);
    },
    forget: (token) => void probes.delete(token),
    view: (at) => ({ state, retryAfterMs: state === 'open' ? Math.max(0, openUntil - at) : 0 }),
    isAtRest: () => state === 'closed' && failures === 0 && closedAt === undefined,
  };
}
