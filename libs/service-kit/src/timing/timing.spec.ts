import fc from 'fast-check';
import { backoffDelay } from './backoff.js';
import { pause } from './pause.js';
import { retry } from './retry.js';

const never = new AbortController().signal;

describe('backoffDelay', () => {
  const policies = fc.record({
    initialMs: fc.integer({ min: 1, max: 10_000 }),
    capMs: fc.integer({ min: 1, max: 600_000 }),
  });
  const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('is a whole number from zero up to the cap, for every attempt', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 0, max: 1_000_000 }), fraction, (policy, attempt, drawn) => {
        const delay = backoffDelay(attempt, { ...policy, random: () => drawn });
        expect(Number.isInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(policy.capMs);
      }),
    );
  });

  it('has a bound that never falls from one attempt to the next and reaches the cap', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 100 }), (policy, attempt) => {
        const bound = (n: number): number => backoffDelay(n, { ...policy, random: () => 1 - Number.EPSILON });
        expect(bound(attempt + 1)).toBeGreaterThanOrEqual(bound(attempt));
        expect(bound(61)).toBeGreaterThanOrEqual(policy.capMs - 1);
      }),
    );
  });

  it('spreads over the whole bound', () => {
    const at = (drawn: number): number =>
      backoffDelay(3, { initialMs: 100, capMs: 10_000, random: () => drawn });
    expect([at(0), at(0.5), at(0.999)]).toEqual([0, 200, 399]);
  });
});

describe('pause', () => {
  it('ends early without an error when the signal aborts', async () => {
    const controller = new AbortController();
    const resting = pause(3_600_000, controller.signal);
    controller.abort();
    await expect(resting).resolves.toBeUndefined();
  });

  it('does not begin when the signal has aborted', async () => {
    await expect(pause(3_600_000, AbortSignal.abort())).resolves.toBeUndefined();
  });

  it('waits for its time and leaves no listener behind', async () => {
    const controller = new AbortController();
    const removed = jest.spyOn(controller.signal, 'removeEventListener');
    const before = performance.now();
    await pause(20, controller.signal);
    expect(performance.now() - before).toBeGreaterThanOrEqual(19);
    expect(removed).toHaveBeenCalledTimes(1);
  });
});

describe('retry', () => {
  const policy = { initialMs: 1, capMs: 1, random: () => 0, maxAttempts: 5 };

  it('tries exactly as often as needed and allowed, and counts from 1', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 8 }),
        fc.integer({ min: 1, max: 6 }),
        async (failures, maxAttempts) => {
          const attempts: number[] = [];
          const work = async (attempt: number): Promise<string> => {
            attempts.push(attempt);
            if (attempt <= failures) throw new Error(`failure ${attempt}`);
            return 'done';
          };
          const outcome = await retry(work, { ...policy, maxAttempts }).catch(
            (error: Error) => error.message,
          );
          const expected = Math.min(failures + 1, maxAttempts);
          expect(attempts).toEqual(Array.from({ length: expected }, (_, index) => index + 1));
          expect(outcome).toBe(failures < maxAttempts ? 'done' : `failure ${maxAttempts}`);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('throws at once what is not worth another attempt', async () => {
    let attempts = 0;
    const work = (): Promise<never> => {
      attempts += 1;
      return Promise.reject(new Error('no'));
    };
    await expect(retry(work, { ...policy, isRetryable: () => false })).rejects.toThrow('no');
    expect(attempts).toBe(1);
  });

  it('throws the last error when the signal aborts during the rest', async () => {
    const controller = new AbortController();
    const work = (): Promise<never> => {
      setImmediate(() => controller.abort());
      return Promise.reject(new Error('the last one'));
    };
    const long = {
      ...policy,
      initialMs: 3_600_000,
      capMs: 3_600_000,
      random: () => 0.9,
      signal: controller.signal,
    };
    await expect(retry(work, long)).rejects.toThrow('the last one');
  });

  it('does not begin when the signal has aborted', async () => {
    const work = jest.fn(() => Promise.resolve(1));
    await expect(retry(work, { ...policy, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(work).not.toHaveBeenCalled();
    await expect(retry(work, { ...policy, signal: never })).resolves.toBe(1);
  });
});
