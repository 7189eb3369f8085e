import { createLogger } from '../log/logger.js';
import { pollingWorker } from './polling-worker.js';

let logged = '';
const log = createLogger({ service: 'demo', destination: { write: (line) => void (logged += line) } });
const HOUR = 3_600_000;

beforeEach(() => {
  logged = '';
});

/** Runs a worker whose step answers from the list, and stops it at the end of the list. */
async function runThrough(
  answers: (boolean | Error)[],
  options: { intervalMs: number; wake?: () => Promise<void> },
) {
  const controller = new AbortController();
  let steps = 0;
  let beats = 0;
  const worker = pollingWorker({
    name: 'demo',
    log,
    random: () => 0,
    ...options,
    async step() {
      const answer = answers[steps] ?? false;
      steps += 1;
      if (steps >= answers.length) controller.abort();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  await worker.run(controller.signal, () => (beats += 1));
  return { steps, beats, worker };
}

describe('pollingWorker', () => {
  it('goes on at once while there is more to do, and beats after each step', async () => {
    expect(await runThrough([true, true, true], { intervalMs: HOUR })).toMatchObject({ steps: 3, beats: 3 });
  });

  it('rests after a step that found nothing', async () => {
    const before = performance.now();
    await runThrough([false, false], { intervalMs: 30 });
    expect(performance.now() - before).toBeGreaterThanOrEqual(28);
  });

  it('outlives failures, logs them and rests after them', async () => {
    const before = performance.now();
    const { steps } = await runThrough([new Error('one'), new Error('two'), false], { intervalMs: 15 });
    expect(steps).toBe(3);
    expect(performance.now() - before).toBeGreaterThanOrEqual(28);
    expect(logged).toMatch(/one.*"failures":1[\s\S]*two.*"failures":2/);
  });

  it('ends its rest early when it is woken', async () => {
    const { steps } = await runThrough([false, false, false], {
      intervalMs: HOUR,
      wake: () => Promise.resolve(),
    });
    expect(steps).toBe(3);
  });

  it('keeps to the interval when waking fails, instead of spinning', async () => {
    const before = performance.now();
    const wake = (): Promise<void> => Promise.reject(new Error('no channel'));
    const { steps } = await runThrough([false, false], { intervalMs: 30, wake });
    expect(steps).toBe(2);
    expect(performance.now() - before).toBeGreaterThanOrEqual(28);
    expect(logged).toContain('no channel');
  });

  it('returns from a rest as soon as it is told to stop', async () => {
    const controller = new AbortController();
    const worker = pollingWorker({ name: 'demo', log, intervalMs: HOUR, step: async () => false });
    const running = worker.run(controller.signal, () => setImmediate(() => controller.abort()));
    await expect(running).resolves.toBeUndefined();
  });

  it('does not begin when it was stopped before, and does not call a stopped step a failure', async () => {
    const step = jest.fn(async () => false);
    await pollingWorker({ name: 'demo', log, intervalMs: 1, step }).run(AbortSignal.abort(), () => {});
    expect(step).not.toHaveBeenCalled();

    const controller = new AbortController();
    const aborting = async (): Promise<boolean> => {
      controller.abort();
      throw new Error('aborted');
    };
    await pollingWorker({ name: 'demo', log, intervalMs: 1, step: aborting }).run(
      controller.signal,
      () => {},
    );
    expect(logged).toBe('');
  });

  it('allows itself a beat that is longer than its longest rest', () => {
    const worker = pollingWorker({ name: 'demo', log, intervalMs: HOUR, step: async () => false });
    expect(worker.maxBeatMs).toBeGreaterThan(HOUR);
    expect(
      pollingWorker({ name: 'demo', log, intervalMs: 1, maxBeatMs: 5, step: async () => false }).maxBeatMs,
    ).toBe(5);
  });
});
