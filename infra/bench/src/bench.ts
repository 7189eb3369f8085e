import type { ServerName, Stack } from '@sluice/local';
import type { Table } from './table.js';

/** A named group of measurements; `npm run bench -- <name>`. */
export interface Bench {
  readonly name: string;
  readonly parts: readonly BenchPart[];
}

export interface BenchPart {
  /** The letter that `--part` takes. */
  readonly letter: string;
  readonly title: string;
  readonly defaultRows: number;
  run(surroundings: Surroundings): Promise<PartResult>;
}

export interface Surroundings {
  readonly rows: number;
  readonly repeats: number;
  readonly repository: string;
  /** Throw-away servers of this part's own; the bench stops them when the part has ended. */
  readonly startServers: (options: {
    readonly only: readonly ServerName[];
    readonly temporalFile?: string;
  }) => Promise<Stack>;
  readonly say: (text: string) => void;
}

/** One measured run of one contender. */
export interface MeasuredRun {
  readonly contender: string;
  readonly repeat: number;
  readonly figures: Readonly<Record<string, number>>;
}

export interface PartResult {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly runs: readonly MeasuredRun[];
  readonly ratios: Readonly<Record<string, number>>;
  readonly tables: readonly Table[];
}
