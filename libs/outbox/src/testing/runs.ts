import type { Claim, Outcome } from '../ports.js';
import { corner, doubtful, executed, later, refused } from './harness.js';
import type { CurrentHarness } from './harness.js';

export const notSent: Outcome = {
  kind: 'deferred',
  delayMs: 0,
  outcomeUnknown: false,
  code: 'NOT_SENT',
  message: 'something keeps its place before it',
};

export function describeRuns(current: CurrentHarness): void {
  describe('runs', () => {
    /** claims up to three instructions of each participant */
    const inRuns = (railType: string) => ({ limits: { [railType]: { participants: 100, runLength: 3 } } });
    const numbers = (claims: readonly Claim[]) => claims.map((one) => one.sequenceId);

    it('take the first instructions of a participant together, in their order and under one token', async () => {
      const { enqueue, entry, claim, settle, railType } = corner(current);
      await enqueue(...['a', 'b', 'c', 'd'].map((name) => entry('p', name)));
      const run = await claim(inRuns(railType));
      expect(numbers(run)).toEqual([1, 2, 3]);
      expect(new Set(run.map((one) => one.token)).size).toBe(1);
      expect(await claim(inRuns(railType))).toEqual([]);
      for (const one of run) {
        expect(await claim(inRuns(railType))).toEqual([]);
        expect(await settle(one, executed)).toMatchObject({ kind: 'recorded' });
      }
      expect(numbers(await claim(inRuns(railType)))).toEqual([4]);
    });

    it('end where another rail type begins', async () => {
      const { enqueue, entry, claim, railType } = corner(current);
      const other = { railType: `${railType}-OTHER` };
      await enqueue(entry('p', 'a'), entry('p', 'b', other), entry('p', 'c'));
      expect(numbers(await claim(inRuns(railType)))).toEqual([1]);
    });

    it('take no more participants of a rail type than its limit, and none where the limit is 0', async () => {
      const { enqueue, entry, claim, railType } = corner(current);
      const other = `${railType}-OTHER`;
      await enqueue(...[1, 2, 3].map((n) => entry(`p${n}`, `a${n}`)));
      await enqueue(...[1, 2, 3].map((n) => entry(`q${n}`, `b${n}`, { railType: other })));
      const limits = {
        [railType]: { participants: 2, runLength: 1 },
        [other]: { participants: 0, runLength: 1 },
      };
      const claims = await claim({ railTypes: [railType, other], limits });
      expect(claims.map((one) => one.railType)).toEqual([railType, railType]);
    });

    it('go back in order, and what was not sent keeps its attempts', async () => {
      const { enqueue, entry, claim, railType, settle, states } = corner(current);
      await enqueue(...['a', 'b', 'c'].map((name) => entry('p', name)));
      const [a, b, c] = (await claim(inRuns(railType))) as [Claim, Claim, Claim];
      await settle(c, notSent);
      await settle(b, notSent);
      await settle(a, later(0));
      const again = await claim(inRuns(railType));
      expect(again.map((one) => [one.sequenceId, one.attemptNo, one.tryNo])).toEqual([
        [1, 2, 2],
        [2, 1, 1],
        [3, 1, 1],
      ]);
      expect(await states(b.instructionId)).toEqual(['DISPATCHING', 'DEFERRED', 'DISPATCHING']);
    });

    it('hold back everything behind an instruction that waits', async () => {
      const { enqueue, entry, claim, railType, settle } = corner(current);
      await enqueue(...['a', 'b', 'c'].map((name) => entry('p', name)));
      const [a, b, c] = (await claim(inRuns(railType))) as [Claim, Claim, Claim];
      await settle(b, notSent);
      await settle(c, notSent);
      await settle(a, later(60_000));
      expect(await claim(inRuns(railType))).toEqual([]);
    });

    it('hold the participant only when the rest has landed', async () => {
      const { enqueue, entry, claim, railType, settle, participant } = corner(current);
      await enqueue(...['a', 'b'].map((name) => entry('p', name)));
      const [a, b] = (await claim(inRuns(railType))) as [Claim, Claim];
      const seen = () => current().outbox.findParticipant(participant('p'));
      await settle(a, doubtful);
      expect(await seen()).toMatchObject({ state: 'BUSY', heldBy: { instructionId: a.instructionId } });
      await settle(b, notSent);
      expect(await seen()).toMatchObject({ state: 'HELD', heldBy: { state: 'IN_DOUBT' } });
      expect(await claim(inRuns(railType))).toEqual([]);
    });

    it('are requeued as a whole when their lease runs out, and settled as a whole or not at all', async () => {
      const { enqueue, entry, claim, railType, settle } = corner(current);
      await enqueue(...['a', 'b', 'c', 'd'].map((name) => entry('p', name)));
      const run = (await claim({ ...inRuns(railType), leaseSeconds: 0 })) as [Claim, Claim, Claim];
      await settle(run[0], executed);
      expect(await current().outbox.reap({ railTypes: [railType], limit: 10 })).toBe(2);
      const again = await claim(inRuns(railType));
      expect(again.map((one) => [one.sequenceId, one.outcomeUnknown])).toEqual([
        [2, true],
        [3, true],
        [4, false],
      ]);
      expect(await settle(run[1], executed)).toMatchObject({ kind: 'late' });
    });

    it('go on after a failure that holds nobody', async () => {
      const { enqueue, entry, claim, railType } = corner(current);
      await enqueue(...['a', 'b', 'c'].map((name) => entry('p', name)));
      const run = await claim(inRuns(railType));
      const outcomes = [executed, refused, executed];
      const settlements = run.map((one, n) => ({
        ...one,
        outcome: outcomes[n] ?? executed,
        latencyMs: 1,
      }));
      const settled = await current().outbox.settle(settlements);
      expect(settled.map((one) => one.kind)).toEqual(['recorded', 'recorded', 'recorded']);
      expect(await current().outbox.depth([railType])).toMatchObject({ pending: 0, inFlight: 0, dead: 1 });
    });
  });
}
