import type { Reporter, Screen, StepState } from './reporter.js';

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const redrawEveryMs = 100;
/** For terminals that say they are no column wide. */
const defaultColumns = 80;
const colour: Readonly<Record<StepState, number>> = {
  waiting: 90,
  installing: 36,
  starting: 36,
  running: 36,
  ready: 32,
  failed: 31,
};

interface Step {
  state: StepState;
  detail: string;
  readonly since: number;
  until: number | undefined;
}

/** One line a step, redrawn in place, with a spinner and the seconds it has taken. */
export function createLiveDisplay(screen: Screen, now: () => number = Date.now): Reporter {
  const steps = new Map<string, Step>();
  let drawnLines = 0;
  let timer: NodeJS.Timeout | undefined;

  /** One write for all of it, so that nobody sees the screen half drawn. */
  const draw = (above = ''): void => {
    const erase = drawnLines > 0 ? `\u001b[${drawnLines}A\u001b[0J` : '';
    const view = { now: now(), columns: screen.columns || defaultColumns };
    const lines = [...steps].map(([name, step]) => `${lineOf(name, step, view)}\n`);
    screen.write(`${erase}${above}${lines.join('')}`);
    drawnLines = lines.length;
  };
  return {
    step(name, state, detail = '') {
      const known = steps.get(name);
      const until = state === 'ready' || state === 'failed' ? now() : undefined;
      steps.set(name, { state, detail, since: known?.since ?? now(), until });
      draw();
      timer ??= setInterval(() => {
        draw();
      }, redrawEveryMs).unref();
    },
    say(text) {
      draw(`${text}\n`);
    },
    close() {
      clearInterval(timer);
      timer = undefined;
      draw();
      steps.clear();
      drawnLines = 0;
    },
  };
}

function lineOf(name: string, step: Step, view: { readonly now: number; readonly columns: number }): string {
  const seconds = (((step.until ?? view.now) - step.since) / 1000).toFixed(1).padStart(5);
  const text = `${name.padEnd(16)} ${step.state.padEnd(10)} ${seconds} s  ${step.detail}`;
  // A line that wraps would be counted as one and leave its rest on the screen.
  const shown = text.slice(0, Math.max(view.columns - 4, 20));
  return `${markOf(step, view.now)} \u001b[${colour[step.state]}m${shown}\u001b[0m`;
}

function markOf(step: Step, now: number): string {
  if (step.state === 'ready') return '\u001b[32m✔\u001b[0m';
  if (step.state === 'failed') return '\u001b[31m✘\u001b[0m';
  return frames[Math.floor(now / redrawEveryMs) % frames.length] ?? '';
}
