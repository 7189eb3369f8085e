/** The parts of `process` that a service uses, so that tests can hand in their own. */
export interface HostProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly argv: readonly string[];
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  on(event: string, listener: (argument: unknown) => void): unknown;
  off(event: string, listener: (argument: unknown) => void): unknown;
  exit(code: number): void;
  /** Where log lines go instead of standard output. */
  readonly logTo?: { write(line: string): void };
}
