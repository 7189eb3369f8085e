export type CircuitState = 'CLOSED' | 'OPEN' | 'HALF_OPEN';

/** AUTO follows what the rail does; the others are an operator's word, whatever the rail does. */
export const circuitModes = ['AUTO', 'OPEN', 'CLOSED'] as const;
export type CircuitMode = (typeof circuitModes)[number];

export interface CircuitPolicy {
  /** opens after so many failures in a row */
  readonly failures: number;
  /** stays open so long at first, twice as long after each failed probe, up to `maxOpenMs` */
  readonly openMs: number;
  readonly maxOpenMs: number;
  /** calls let through at once to find out whether the rail is back, and successes needed to believe it */
  readonly probes: number;
}

export interface CircuitView {
  readonly state: CircuitState;
  readonly mode: CircuitMode;
  readonly failuresInARow: number;
  /** how long until it tries the rail again; 0 when it does not wait */
  readonly waitMs: number;
}

/** One call that was let through. One of the two is to be called when it is over. */
export interface Passage {
  /** the rail answered, whatever it answered */
  succeeded(): void;
  failed(): void;
}

interface Parts {
  readonly policy: CircuitPolicy;
  /** until an operator's word is known; default AUTO */
  readonly mode?: CircuitMode;
  /** milliseconds that never go backwards */
  readonly monotonic: () => number;
  readonly onChange?: (view: CircuitView) => void;
}

/** Keeps calls away from a rail that is down, so that an outage costs no instruction an attempt. */
export class Circuit {
  readonly #policy: CircuitPolicy;
  readonly #monotonic: () => number;
  readonly #onChange: (view: CircuitView) => void;
  #mode: CircuitMode;
  #state: CircuitState = 'CLOSED';
  #failuresInARow = 0;
  #openings = 0;
  #openUntil = 0;
  #probing = 0;
  #probed = 0;
  // Calls of an earlier phase say nothing about this one: an answer may come long after the rail has gone.
  #phase = 0;

  constructor({ policy, monotonic, onChange = () => undefined, mode = 'AUTO' }: Parts) {
    this.#policy = policy;
    this.#monotonic = monotonic;
    this.#onChange = onChange;
    this.#mode = mode;
  }

  /** How many more calls would be let through now. */
  room(): number {
    if (this.#mode !== 'AUTO') return this.#mode === 'CLOSED' ? Infinity : 0;
    if (this.#state === 'CLOSED') return Infinity;
    if (this.#state === 'OPEN') return this.#monotonic() < this.#openUntil ? 0 : this.#policy.probes;
    return Math.max(0, this.#policy.probes - this.#probing);
  }

  /** Undefined: not now; `view().waitMs` says when. */
  enter(): Passage | undefined {
    if (this.room() === 0) return undefined;
    if (this.#mode === 'AUTO' && this.#state === 'OPEN') this.#change('HALF_OPEN');
    if (this.#mode === 'AUTO' && this.#state === 'HALF_OPEN') this.#probing += 1;
    const phase = this.#phase;
    return {
      succeeded: () => {
        if (this.#phase === phase) this.#succeeded();
      },
      failed: () => {
        if (this.#phase === phase) this.#failed();
      },
    };
  }

  setMode(mode: CircuitMode): void {
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.#failuresInARow = 0;
    this.#openings = 0;
    this.#change('CLOSED');
  }

  view(): CircuitView {
    const waits = this.#mode === 'AUTO' && this.#state === 'OPEN';
    return {
      state: this.#mode === 'AUTO' ? this.#state : this.#mode,
      mode: this.#mode,
      failuresInARow: this.#failuresInARow,
      waitMs: waits ? Math.max(0, this.#openUntil - this.#monotonic()) : 0,
    };
  }

  #succeeded(): void {
    this.#failuresInARow = 0;
    if (this.#mode !== 'AUTO' || this.#state !== 'HALF_OPEN') return;
    this.#probing -= 1;
    this.#probed += 1;
    if (this.#probed < this.#policy.probes) return;
    this.#openings = 0;
    this.#change('CLOSED');
  }

  #failed(): void {
    this.#failuresInARow += 1;
    if (this.#mode !== 'AUTO') return;
    if (this.#state !== 'HALF_OPEN' && this.#failuresInARow < this.#policy.failures) return;
    const openMs = Math.min(this.#policy.openMs * 2 ** this.#openings, this.#policy.maxOpenMs);
    this.#openings += 1;
    this.#openUntil = this.#monotonic() + openMs;
    this.#change('OPEN');
  }

  #change(state: CircuitState): void {
    this.#state = state;
    this.#phase += 1;
    this.#probing = 0;
    this.#probed = 0;
    this.#onChange(this.view());
  }
}
