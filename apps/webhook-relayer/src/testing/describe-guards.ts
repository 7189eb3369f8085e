import { randomUUID } from 'node:crypto';
import type { Guards, GuardSettings, Permit, PermitUse } from '../guards.js';
import { until } from './until.js';

export const shortSettings: GuardSettings = {
  failureThreshold: 3,
  openMs: 300,
  probes: 3,
  rampStepMs: 400,
  permitTtlMs: 30_000,
};

export type MakeGuards = (settings?: Partial<GuardSettings>) => Guards;

const wide = { maxConcurrency: 1_000, ratePerSecond: 10_000 };

/** What any guards must do, whatever they count in. */
export function describeGuards(name: string, make: MakeGuards): void {
  const setUp = (settings: Partial<GuardSettings> = {}) => {
    const guards = make(settings);
    const subscriptionId = `sub_${randomUUID()}`;
    const admit = (count: number, limits = wide) => guards.admit({ subscriptionId, count, limits });
    const settleAll = async (permits: readonly Permit[], use: PermitUse) => {
      for (const permit of permits) await guards.settle(permit, use);
    };
    const fail = async (times: number) => settleAll((await admit(times)).permits, 'failure');
    const state = async () => (await guards.circuit(subscriptionId)).state;
    return { guards, subscriptionId, admit, settleAll, fail, state };
  };
  const halfOpen = (admit: ReturnType<typeof setUp>['admit'], count: number) =>
    until('the circuit lets probes through', async () => {
      const admission = await admit(count);
      return admission.permits.length > 0 ? admission : undefined;
    });

  describe(name, () => {
    it('let through no more at one time than a subscription may have, and as many again once they are back', async () => {
      const { admit, settleAll } = setUp();
      const limits = { ...wide, maxConcurrency: 4 };
      const first = await admit(10, limits);
      expect(first.permits).toHaveLength(4);
      expect(first.refusal?.reason).toBe('CONCURRENCY');
      expect(await admit(1, limits)).toMatchObject({ permits: [], refusal: { reason: 'CONCURRENCY' } });
      await settleAll(first.permits.slice(0, 2), 'success');
      expect((await admit(10, limits)).permits).toHaveLength(2);
    });

    it('count a permit that is given back twice, or that is foreign, once and not at all', async () => {
      const { guards, admit, subscriptionId } = setUp();
      const limits = { ...wide, maxConcurrency: 2 };
      const { permits } = await admit(2, limits);
      const [one] = permits;
      if (one === undefined) throw new Error('no permit');
      await guards.settle(one, 'success');
      await guards.settle(one, 'success');
      await guards.settle({ subscriptionId, token: 'foreign' }, 'success');
      expect((await admit(2, limits)).permits).toHaveLength(1);
    });

    it('let through a burst of a tenth of a second and then the rate, and give back what was not used', async () => {
      const { admit, settleAll } = setUp();
      const limits = { ...wide, ratePerSecond: 20 };
      const first = await admit(10, limits);
      expect(first.permits).toHaveLength(2);
      expect(first.refusal?.reason).toBe('RATE');
      await settleAll(first.permits, 'unused');
      expect((await admit(10, limits)).permits.length).toBeGreaterThanOrEqual(2);
      const next = await until('a token is there again', async () => {
        const admission = await admit(1, limits);
        return admission.permits.length > 0 ? admission : undefined;
      });
      expect(next.permits).toHaveLength(1);
    });

    it('open the circuit after failures in a row, and only then', async () => {
      const { admit, fail, state, settleAll } = setUp({ openMs: 60_000 });
      await fail(2);
      await settleAll((await admit(1)).permits, 'success');
      await fail(2);
      await settleAll((await admit(1)).permits, 'neutral');
      expect(await state()).toBe('closed');
      await fail(1);
      expect(await state()).toBe('open');
      const { permits, refusal } = await admit(1);
      expect(permits).toEqual([]);
      expect(refusal?.reason).toBe('CIRCUIT_OPEN');
      expect(refusal?.retryAfterMs).toBeGreaterThan(30_000);
    });

    it('let a limited number of probes through an open circuit; one that fails opens it again', async () => {
      const { admit, fail, settleAll, state } = setUp();
      await fail(3);
      const { permits, refusal } = await halfOpen(admit, 50);
      expect(permits).toHaveLength(3);
      expect(refusal?.reason).toBe('CIRCUIT_OPEN');
      expect((await admit(1)).permits).toEqual([]);
      await settleAll(permits.slice(0, 1), 'failure');
      expect(await state()).toBe('open');
    });

    it('give a probe back that was not used, so that another can be made', async () => {
      const { admit, fail, settleAll } = setUp();
      await fail(3);
      const { permits } = await halfOpen(admit, 3);
      await settleAll(permits.slice(0, 2), 'unused');
      expect((await admit(3)).permits).toHaveLength(2);
    });

    it('close the circuit when a probe succeeds, and not for what was sent before it opened', async () => {
      const { admit, fail, settleAll, state } = setUp();
      const old = await admit(1);
      await fail(3);
      const { permits } = await halfOpen(admit, 1);
      await settleAll(old.permits, 'success');
      expect(await state()).toBe('half_open');
      await settleAll(permits, 'success');
      expect(await state()).toBe('closed');
    });

    it('guarantee 13: when a circuit closes over a backlog, what is sent begins small and doubles', async () => {
      const { admit, fail, settleAll } = setUp({ rampStepMs: 500 });
      await fail(3);
      await settleAll((await halfOpen(admit, 1)).permits, 'success');
      const began = performance.now();
      const sent: number[] = [];
      await until('two steps of the ramp have passed', async () => {
        const { permits } = await admit(1_000);
        await settleAll(permits, 'success');
        const at = performance.now() - began;
        sent.push(...permits.map(() => at));
        return at > 1_500 ? true : undefined;
      });
      // In the first step three may begin and the burst of one, by the step's end; without the ramp it would be thousands.
      const cumulative = (ms: number) => sent.filter((at) => at <= ms).length;
      expect(cumulative(400)).toBeLessThanOrEqual(4);
      expect(cumulative(900)).toBeLessThanOrEqual(4 + 6 + 1);
      expect(cumulative(1_400)).toBeLessThanOrEqual(4 + 6 + 12 + 2);
      expect(sent.length).toBeGreaterThan(4);
    });

    it('take permits back by themselves that nobody gives back', async () => {
      const { admit } = setUp({ permitTtlMs: 300 });
      const limits = { ...wide, maxConcurrency: 1 };
      expect((await admit(1, limits)).permits).toHaveLength(1);
      expect((await admit(1, limits)).permits).toHaveLength(0);
      await until('the permit has expired', async () =>
        (await admit(1, limits)).permits.length === 1 ? true : undefined,
      );
    });
  });
}
