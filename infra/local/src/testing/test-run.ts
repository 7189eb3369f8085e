import { z } from 'zod';

/** The variable that carries the run from Jest's setup to its workers. Specs never see it. */
export const testRunVariable = 'SLUICE_TEST_RUN';

const testRun = z.object({
  id: z.string(),
  /** A database of the server in which databases can be made. */
  pgUrl: z.string(),
  /** All migrations applied, and never connected to again. */
  template: z.string(),
  kafkaBrokers: z.string(),
  temporalAddress: z.string(),
  redisUrl: z.string(),
  railUrl: z.string(),
  sinkUrl: z.string(),
  /** One file for each database that was kept since a test of its file failed. */
  keptFolder: z.string(),
});

/** What every test file must know of the run that it is part of. */
export type TestRun = z.infer<typeof testRun>;

export function readTestRun(environment: NodeJS.ProcessEnv): TestRun {
  const text = environment[testRunVariable];
  if (text === undefined) {
    throw new Error(
      'Integration specs need the servers of a run: start them with `jest -c jest.int.config.cjs`.',
    );
  }
  return testRun.parse(JSON.parse(text));
}
