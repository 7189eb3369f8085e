import { corner, doubtful, executed } from './harness.js';
import type { CurrentHarness } from './harness.js';

export function describeLeases(current: CurrentHarness): void {
  describe('leases', () => {
    it('requeues an expired claim at its place, with its outcome unknown', async () => {
      const { enqueue, entry, claim, claimOne, states, railType } = corner(current);
      await enqueue(entry('p', 'a'), entry('p', 'b'));
      const lost = await claimOne({ leaseSeconds: 0 });
      expect(await claim()).toEqual([]);
      expect(await current().outbox.reap({ railTypes: [railType], limit: 10 })).toBe(1);
      expect(await claimOne()).toMatchObject({ outboxId: lost.outboxId, attemptNo: 2, outcomeUnknown: true });
      expect(await states(lost.instructionId)).toEqual(['DISPATCHING', 'ZOMBIE_REQUEUE', 'DISPATCHING']);
    });

    it('leaves a claim alone whose lease was renewed', async () => {
      const { enqueue, entry, claimOne, settle, railType } = corner(current);
      await enqueue(entry('p', 'a'));
      const mine = await claimOne({ leaseSeconds: 0 });
      const held = await current().outbox.renew([mine], 60);
      expect(held).toEqual([{ participantId: mine.participantId, token: mine.token }]);
      expect(await current().outbox.reap({ railTypes: [railType], limit: 10 })).toBe(0);
      expect(await settle(mine, executed)).toMatchObject({ kind: 'recorded' });
    });

    it('does not renew a lease that was taken away', async () => {
      const { enqueue, entry, claimOne, railType } = corner(current);
      await enqueue(entry('p', 'a'), entry('q', 'b'));
      const lost = await claimOne({ leaseSeconds: 0, limit: 1 });
      await current().outbox.reap({ railTypes: [railType], limit: 10 });
      const others = await corner(current).claim({ railTypes: [railType] });
      const held = await current().outbox.renew([lost, ...others], 60);
      expect(held.map((lease) => lease.token)).toEqual(others.map((one) => one.token));
    });

    it('records what a relay reports after it lost its lease, and changes nothing else', async () => {
      const { enqueue, entry, claim, claimOne, settle, states, railType } = corner(current);
      await enqueue(entry('p', 'a'), entry('p', 'b'));
      const slow = await claimOne({ leaseSeconds: 0 });
      await current().outbox.reap({ railTypes: [railType], limit: 10 });
      const quick = await claimOne();

      expect(await settle(slow, executed)).toMatchObject({ kind: 'late' });
      expect(await settle(slow, doubtful)).toMatchObject({ kind: 'late' });
      expect(await claim()).toEqual([]);
      expect(await settle(quick, executed)).toMatchObject({ kind: 'recorded' });
      expect(await claimOne()).toMatchObject({ sequenceId: 2 });
      expect(await states(slow.instructionId)).toEqual([
        'DISPATCHING',
        'ZOMBIE_REQUEUE',
        'DISPATCHING',
        'LATE_RESULT',
        'DISPATCHED',
      ]);
    });

    it('still takes the outcome of a lease that ran out before anybody noticed', async () => {
      const { enqueue, entry, claimOne, settle, railType } = corner(current);
      await enqueue(entry('p', 'a'));
      const mine = await claimOne({ leaseSeconds: 0 });
      expect(await settle(mine, executed)).toMatchObject({ kind: 'recorded' });
      expect(await current().outbox.reap({ railTypes: [railType], limit: 10 })).toBe(0);
    });

    it('reaps only its own rail types, each claim once, and no more than the limit', async () => {
      const { enqueue, entry, claim, railType } = corner(current);
      await enqueue(...Array.from({ length: 10 }, (_, n) => entry(`p${n}`, `a${n}`)));
      await claim({ leaseSeconds: 0 });
      expect(await current().outbox.reap({ railTypes: [`${railType}-OTHER`], limit: 10 })).toBe(0);
      expect(await current().outbox.reap({ railTypes: [railType], limit: 4 })).toBe(4);
      const rest = await Promise.all(
        [1, 2, 3].map(() => current().outbox.reap({ railTypes: [railType], limit: 10 })),
      );
      expect(rest.reduce((sum, count) => sum + count, 0)).toBe(6);
      expect(await claim()).toHaveLength(10);
    });
  });
}
