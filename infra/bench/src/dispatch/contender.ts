/** Something that takes waiting jobs and finishes them. */
export interface Contender {
  readonly name: string;
  /** Contenders that work on the same rows share what was filled once. */
  readonly template: Template;
  /** Takes and finishes every job; throws when one is left. */
  drain(url: string, rows: number): Promise<Drained>;
}

export interface Template {
  readonly database: string;
  fill(server: { readonly url: string; readonly repository: string }, rows: number): Promise<void>;
}

export interface Drained {
  readonly ms: number;
  readonly figures: Readonly<Record<string, number>>;
}

/** The same for all contenders. */
export const batchSize = 500;
export const callers = 4;
