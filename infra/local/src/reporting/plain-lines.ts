import type { Reporter, Screen, StepState } from './reporter.js';

/** One line for each change of state, for pipes, files and CI. */
export function createPlainLines(screen: Screen, now: () => number = Date.now): Reporter {
  const steps = new Map<string, { readonly state: StepState; readonly since: number }>();
  return {
    step(name, state, detail) {
      const known = steps.get(name);
      if (known?.state === state) return;
      const since = known?.since ?? now();
      steps.set(name, { state, since });
      const seconds =
        state === 'ready' || state === 'failed' ? ` after ${((now() - since) / 1000).toFixed(1)} s` : '';
      screen.write(`${name}: ${state}${seconds}${detail ? ` · ${detail}` : ''}\n`);
    },
    say(text) {
      screen.write(`${text}\n`);
    },
    close() {
      steps.clear();
    },
  };
}
