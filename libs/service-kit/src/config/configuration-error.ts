export interface ConfigurationProblem {
  readonly variable: string;
  /** What was expected and what was found. Never holds the value of a secret. */
  readonly problem: string;
}

/** Thrown with every problem of the environment at once; the service cannot start until an operator changes it. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly code = 'CONFIGURATION';
  readonly retryable = false;
  readonly problems: readonly ConfigurationProblem[];

  constructor(problems: readonly ConfigurationProblem[]) {
    super(describeProblems(problems));
    this.problems = problems;
  }
}

/** The problems as lines, variables in one column. */
export function describeProblems(problems: readonly ConfigurationProblem[]): string {
  const width = Math.max(0, ...problems.map(({ variable }) => variable.length));
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const lines = problems.map(({ variable, problem }) => `  ${variable.padEnd(width)}  ${problem}`);
  return [`${count} in the environment`, ...lines].join('\n');
}
