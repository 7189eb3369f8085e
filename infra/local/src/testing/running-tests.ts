import type { Stack } from '../servers/start-servers.js';
import type { TestRun } from './test-run.js';

interface RunningTests {
  readonly stack: Stack;
  readonly run: TestRun;
}

let current: RunningTests | undefined;

/** Jest calls setup and teardown in one process, but hands nothing from the first to the second. */
export const runningTests = {
  set(tests: RunningTests): void {
    current = tests;
  },
  get: (): RunningTests | undefined => current,
};
