import type { Environment, PortTable } from '../ports.js';
import type { OwnedProcess } from '../processes/owner.js';
import type { Run } from '../processes/run.js';

export type ServerName = 'postgres' | 'kafka' | 'temporal' | 'redis';

/** What a part needs to come up. */
export interface Surroundings {
  readonly run: Run;
  readonly ports: PortTable;
  readonly environment: Environment;
  readonly cache: string;
  readonly repository: string;
  /** Survives a power cut; off for stacks that are thrown away. */
  readonly durable: boolean;
  readonly webInterface: boolean;
  readonly postgresSettings: Readonly<Record<string, string>>;
  /** Where Temporal keeps everything, below the folder of the run; in memory if not given. */
  readonly temporalFile?: string;
  /** An installation has begun. */
  installing(detail: string): void;
}

/** A program that was found or installed, and can be started. */
export interface Prepared {
  /** For the display: "PostgreSQL 18.4 from node_modules". */
  readonly origin: string;
  start(): Promise<{ readonly address: string; readonly process: OwnedProcess }>;
}

/** One server: found, started and asked the same way as the others. */
export interface ServerPart {
  readonly name: ServerName;
  readonly title: string;
  /** With this variable set, the part is used at that address and not started. */
  readonly variable: string;
  readonly startsWithinMs: number;
  prepare(surroundings: Surroundings): Promise<Prepared>;
  /** A real call; throws unless the server at the address answers it. */
  probe(address: string): Promise<void>;
}
