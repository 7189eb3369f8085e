import type { RequestListener } from 'node:http';

/** A loop of the service. Works until the signal aborts, then finishes what it has begun and returns. */
export interface Worker {
  readonly name: string;
  /** Longest time between two beats of a healthy loop. */
  readonly maxBeatMs: number;
  /** Calls `beat()` whenever it made progress. To return or to throw before the signal aborts is a failure of the service. */
  run(signal: AbortSignal, beat: () => void): Promise<void>;
}

/** Something outside that the service cannot work without. */
export interface Dependency {
  readonly name: string;
  /** The service goes on without it, if worse: it is shown and measured, but does not decide about readiness. */
  readonly optional?: boolean;
  /** Throws when the dependency cannot be used; gives up when the signal aborts. */
  check(signal: AbortSignal): Promise<void>;
}

/** A condition that must hold before the service begins to work. */
export interface StartCheck {
  readonly name: string;
  /** The problems as sentences; none means fine. A throw counts as one problem. */
  check(): Promise<readonly string[]>;
}

/** Something that holds data or a connection until it is told to let go. */
export interface Closable {
  readonly name: string;
  close(): Promise<void>;
}

/** What a service consists of, as its `compose` hands it to `runService`. */
export interface Composition {
  readonly api?: { readonly listener: RequestListener; readonly port: number };
  readonly workers: readonly Worker[];
  readonly dependencies: readonly Dependency[];
  readonly startChecks?: readonly StartCheck[];
  /** Called in this order once the work has drained. */
  readonly flush?: readonly Closable[];
  /** Called in this order, last of all. */
  readonly close: readonly Closable[];
}
