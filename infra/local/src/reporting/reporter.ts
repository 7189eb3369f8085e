import { createLiveDisplay } from './live-display.js';
import { createPlainLines } from './plain-lines.js';

export type StepState = 'waiting' | 'installing' | 'starting' | 'running' | 'ready' | 'failed';

/** Shows a person what is going on. */
export interface Reporter {
  /** Something that takes a while has come this far; a later call with the same name continues it. */
  step(name: string, state: StepState, detail?: string): void;
  /** A line that stays. */
  say(text: string): void;
  /** No more steps: the display comes to rest. */
  close(): void;
}

/** A stream that text goes to; `isTTY` and `columns` as of a terminal's. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** A live display on a terminal, plain lines anywhere else. */
export function createReporter(
  screen: Screen,
  environment: Readonly<Record<string, string | undefined>>,
): Reporter {
  const isDumb = environment.CI !== undefined || environment.TERM === 'dumb';
  return screen.isTTY === true && !isDumb ? createLiveDisplay(screen) : createPlainLines(screen);
}
