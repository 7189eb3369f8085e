import type { Limits } from './delivery-ports.js';

export type RefusalReason = 'CIRCUIT_OPEN' | 'CONCURRENCY' | 'RATE';

export interface Refusal {
  readonly reason: RefusalReason;
  /** When it is worth asking again. */
  readonly retryAfterMs: number;
}

/** The right to make one request. It expires by itself, long after the longest request. */
export interface Permit {
  readonly subscriptionId: string;
  readonly token: string;
}

export interface AdmissionRequest {
  readonly subscriptionId: string;
  readonly count: number;
  readonly limits: Limits;
}

export interface Admission {
  readonly permits: readonly Permit[];
  /** Why there are not as many permits as were asked for. */
  readonly refusal?: Refusal | undefined;
}

/** What became of a permit. `unused` gives back all that it took; `neutral` says nothing about the endpoint. */
export type PermitUse = 'success' | 'failure' | 'neutral' | 'unused';

export type CircuitState = 'closed' | 'open' | 'half_open';

export interface CircuitView {
  readonly state: CircuitState;
  /** Until when nothing is sent, for an open one. */
  readonly retryAfterMs: number;
}

/** Asked in the order circuit, places, rate, so that a refusal by one has used up nothing of another. */
export interface Guards {
  admit(request: AdmissionRequest): Promise<Admission>;
  /** Gives a permit back, once, and tells the circuit how its request went. */
  settle(permit: Permit, use: PermitUse): Promise<void>;
  circuit(subscriptionId: string): Promise<CircuitView>;
}

export interface GuardSettings {
  /** Failures in a row that open a circuit. */
  readonly failureThreshold: number;
  readonly openMs: number;
  /** Requests at one time while an open circuit is being tried. */
  readonly probes: number;
  /** After a circuit closes, what is let through begins at `probes` and doubles at this interval. */
  readonly rampStepMs: number;
  /** Longer than the longest request. */
  readonly permitTtlMs: number;
}

/** How far the limits are open so many milliseconds after a circuit closed; infinite when the ramp is over. */
export function rampCap(sinceMs: number, { probes, rampStepMs }: GuardSettings): number {
  const steps = Math.floor(sinceMs / rampStepMs);
  return steps >= 16 ? Number.POSITIVE_INFINITY : probes * 2 ** steps;
}

/** The same cap as requests in a second: so many begin in each step of the ramp. */
export function rampRate(cap: number, { rampStepMs }: GuardSettings): number {
  return (cap * 1_000) / rampStepMs;
}

/** What may go out at one instant after a pause: a tenth of a second's worth, so no second sees more than 1.1 times the rate. */
export function burstOf(ratePerSecond: number): number {
  return Math.max(1, Math.ceil(ratePerSecond / 10));
}

/** The part of a common limit that one of several instances may use when they cannot count together. */
export function shareOf(limit: number, instances: number): number {
  return Math.max(1, Math.floor(limit / instances));
}

/** The shared guards did not answer an admission; its permits may have been given out all the same. Give them back. */
export class AdmissionLostError extends Error {
  override readonly name = 'AdmissionLostError';
  readonly code = 'ADMISSION_LOST';
  readonly possible: readonly Permit[];

  constructor(possible: readonly Permit[], options: ErrorOptions) {
    super('the guards did not answer an admission', options);
    this.possible = possible;
  }
}
