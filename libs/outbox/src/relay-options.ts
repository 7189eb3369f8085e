import type { Destination } from './destination.js';
import type { Claim, Outcome, OutboxStore } from './ports.js';

/** The relay reports here; map it to metrics and logs. None of these may throw. */
export interface RelayObserver {
  claimed?(claims: readonly Claim[]): void;
  /** after the outcome is on record */
  settled?(
    claim: Claim,
    outcome: Outcome,
    result: { readonly latencyMs: number; readonly late: boolean },
  ): void;
  /** left to the reaper: the lease ran short, or the outcome could not be written */
  abandoned?(claim: Claim): void;
  /** the database refused something; the relay goes on by itself */
  failed?(step: 'claim' | 'renew' | 'settle', error: unknown): void;
}

export interface RelayOptions {
  readonly name: string;
  readonly store: OutboxStore;
  /** by rail type; only these are claimed */
  readonly destinations: Readonly<Record<string, Destination>>;
  /** participants that are sent for at the same time, at most; default 32 */
  readonly concurrency?: number;
  /** the same for one rail type; default `concurrency` */
  readonly concurrencyByRailType?: Readonly<Record<string, number>>;
  /**
   * How many instructions of one participant are claimed together, to be sent one after the other: `longest` at most (default
   * 200), and no more than can be sent in `budgetMs` by what sends took so far (default 250).
   */
  readonly run?: { readonly longest: number; readonly budgetMs: number };
  /** renewed while a call runs; default 30 */
  readonly leaseSeconds?: number;
  /** default 500 */
  readonly pollIntervalMs?: number;
  /** hard limit of one call to a destination; default 10,000 */
  readonly callTimeoutMs?: number;
  /** after so many attempts a retryable failure becomes a dead letter and an unknown outcome IN_DOUBT; default 50 */
  readonly maxAttempts?: number;
  /** default 200 ms growing to 30 s, with full jitter */
  readonly backoff?: { readonly initialMs: number; readonly capMs: number };
  readonly observer?: RelayObserver;
  readonly random?: () => number;
  /** milliseconds that never go backwards */
  readonly monotonic?: () => number;
}

export type Settings = Required<RelayOptions>;

const defaults = {
  concurrency: 32,
  concurrencyByRailType: {},
  run: { longest: 200, budgetMs: 250 },
  leaseSeconds: 30,
  pollIntervalMs: 500,
  callTimeoutMs: 10_000,
  maxAttempts: 50,
  backoff: { initialMs: 200, capMs: 30_000 },
  observer: {},
  random: Math.random,
  monotonic: () => performance.now(),
} as const satisfies Partial<RelayOptions>;

export function settingsOf(options: RelayOptions): Settings {
  return { ...defaults, ...options };
}
