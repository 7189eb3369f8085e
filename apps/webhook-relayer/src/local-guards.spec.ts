import { randomUUID } from 'node:crypto';
import { createLocalGuards } from './local-guards.js';
import { describeGuards, shortSettings } from './testing/describe-guards.js';

const make = (settings = {}, instances = 1) =>
  createLocalGuards({
    settings: { ...shortSettings, ...settings },
    instances,
    now: () => performance.now(),
    newToken: randomUUID,
  });

describeGuards('local guards', make);

describe('local guards of several instances', () => {
  it('share each limit evenly, and have at least one of each', async () => {
    const limits = { maxConcurrency: 10, ratePerSecond: 10_000 };
    const admit = async (instances: number) =>
      (await make({}, instances).admit({ subscriptionId: 's', count: 100, limits })).permits.length;
    expect([await admit(1), await admit(3), await admit(20)]).toEqual([10, 3, 1]);
  });

  it('count permits that others gave out', async () => {
    const guards = make();
    const limits = { maxConcurrency: 2, ratePerSecond: 10_000 };
    guards.adopt([{ subscriptionId: 's', token: 'theirs' }], limits);
    expect((await guards.admit({ subscriptionId: 's', count: 5, limits })).permits).toHaveLength(1);
    expect(guards.outstanding()).toHaveLength(2);
    await guards.settle({ subscriptionId: 's', token: 'theirs' }, 'success');
    expect((await guards.admit({ subscriptionId: 's', count: 5, limits })).permits).toHaveLength(1);
  });
});
